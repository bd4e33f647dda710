import type { Page } from 'playwright-core'
import { download } from './support/call.ts'
import type { Finding, Question } from './support/question.ts'
import { summarize } from './support/statistics.ts'
import { type Visitor, withVisitor } from './support/visitor.ts'

const BUDGET = { atMost: 200 }
const MAX_FILES = { atMost: 12 }

/** Longer than a page waits with what it loads by itself later. */
const LATER_MS = 5_000

interface Landing {
  name: string
  path: string
  as: 'stranger' | 'admin'
}

/** Where people arrive. */
const landingsOf = (slug: string): Landing[] => [
  { name: 'sign-in page', path: '/sign-in', as: 'stranger' },
  ...(
    [
      ['overview', 'overview'],
      ['devices page', 'devices'],
      ['users page', 'users'],
      ['API Keys panel', 'users/api-keys'],
      ['settings page', 'settings'],
      ['profile page', 'profile'],
    ] as const
  ).map(([name, path]) => ({ name, path: `/${slug}/${path}`, as: 'admin' as const })),
]

/** How much JavaScript a new visitor waits for. */
export const firstLoad: Question = {
  id: 'P8',
  asks: 'JavaScript that a page loads before anything is clicked, gzipped',
  answer: ({ progress }) =>
    withVisitor(progress, async (visitor, absent) => {
      if (!visitor) return { findings: [], systems: [], absent }
      const findings: Finding[] = []
      for (const place of landingsOf(visitor.slug)) findings.push(...(await weigh(visitor, place)))
      return { findings, systems: [] }
    }),
}

/** The browser reports which scripts are loaded, the portal how many bytes they have on the wire. */
async function weigh({ portal, open }: Visitor, { name, path, as }: Landing): Promise<Finding[]> {
  const context = await open(as)
  const page = await context.newPage()
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(LATER_MS)
  const scripts = await scriptsOf(page)
  await context.close()
  let bytes = 0
  for (const script of scripts) bytes += await download(portal.port, script, 'gzip')
  return [
    { what: `JavaScript of the ${name}, gzipped`, value: summarize([bytes / 1000]), unit: 'KB', budget: BUDGET },
    { what: `script files of the ${name}`, value: summarize([scripts.length]), unit: 'files', budget: MAX_FILES },
  ]
}

async function scriptsOf(page: Page): Promise<string[]> {
  const urls: string[] = await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')
  const scripts = urls.map((url) => new URL(url).pathname).filter((path) => path.endsWith('.js'))
  if (scripts.length === 0) throw new Error(`${page.url()} loads no script.`)
  return [...new Set(scripts)]
}
