import type { BrowserContext, Page } from 'playwright-core'
import type { Bench, Finding, Question } from './support/question.ts'
import { summarize } from './support/statistics.ts'
import { type Visitor, withVisitor } from './support/visitor.ts'

const WAIT_MS = 60_000
const SLOW_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
const SLOW_CPU = { rate: 4 }

const CONDITIONS = {
  'on this machine': async () => {},
  'slow network and CPU': async (context: BrowserContext, page: Page) => {
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', SLOW_NETWORK)
    await devtools.send('Emulation.setCPUThrottlingRate', SLOW_CPU)
  },
}

/** How long people wait: with an empty cache, on this machine and on a slower one. */
export const web: Question = {
  id: 'web',
  asks: 'first load to a usable page, and the API Keys panel to its list; also on 1.6 Mbit/s, 150 ms and a quarter of the CPU',
  isLong: true,
  answer: (bench) =>
    withVisitor(bench.progress, async (visitor, absent) => ({
      findings: visitor ? await visit(bench, visitor) : [],
      systems: [],
      absent,
    })),
}

interface Wait {
  signInSeconds: number
  devicesSeconds: number
  panelSeconds: number
}

const WORDS: Record<keyof Wait, string> = {
  signInSeconds: 'first load of the sign-in page, until its form is there',
  devicesSeconds: 'first load of the devices page, until its list is there',
  panelSeconds: 'the API Keys panel, from the click until its list is there',
}

async function visit({ effort, progress }: Bench, visitor: Visitor): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [conditions, impose] of Object.entries(CONDITIONS)) {
    const waits: Wait[] = []
    for (let i = 1; i <= effort.visits; i++) {
      progress.say(`web · ${conditions}, visit ${i} of ${effort.visits}`)
      waits.push({ ...(await firstVisit(visitor, impose)), ...(await adminVisit(visitor, impose)) })
    }
    for (const what of ['signInSeconds', 'devicesSeconds', 'panelSeconds'] as const) {
      const value = summarize(waits.map((wait) => wait[what]))
      findings.push({ what: `${WORDS[what]}, ${conditions}`, value, unit: 's' })
    }
  }
  return findings
}

type Impose = (context: BrowserContext, page: Page) => Promise<void>

async function firstVisit({ open }: Visitor, impose: Impose): Promise<Pick<Wait, 'signInSeconds'>> {
  const { context, page } = await openPage(open, 'stranger', impose)
  const signInSeconds = await secondsOf(async () => {
    await page.goto('/sign-in', { waitUntil: 'commit' })
    await page.getByLabel('Password', { exact: true }).waitFor()
  })
  await context.close()
  return { signInSeconds }
}

async function adminVisit({ open, slug }: Visitor, impose: Impose): Promise<Omit<Wait, 'signInSeconds'>> {
  const { context, page } = await openPage(open, 'admin', impose)
  const devicesSeconds = await secondsOf(async () => {
    await page.goto(`/${slug}/devices`, { waitUntil: 'commit' })
    await page.getByRole('row', { name: 'edge-gateway-000000' }).waitFor()
  })
  await page.getByRole('link', { name: 'Users' }).click()
  const button = page.getByRole('link', { name: 'API Keys' })
  await button.waitFor()
  await page.waitForLoadState('networkidle')
  const panelSeconds = await secondsOf(async () => {
    await button.click()
    await page.getByRole('dialog', { name: 'API Keys' }).getByRole('rowheader').first().waitFor()
  })
  await context.close()
  return { devicesSeconds, panelSeconds }
}

async function openPage(open: Visitor['open'], as: 'stranger' | 'admin', impose: Impose) {
  const context = await open(as)
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  await impose(context, page)
  return { context, page }
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const before = performance.now()
  await work()
  return (performance.now() - before) / 1000
}
