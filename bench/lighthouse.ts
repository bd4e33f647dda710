import { freePort } from './support/call.ts'
import { installPackage } from './support/installed.ts'
import { type Lighthouse, type Load, startLighthouse } from './support/lighthouse.ts'
import { type Answer, absentBy, type Bench, type Finding, type Question } from './support/question.ts'
import { summarize } from './support/statistics.ts'
import { type Visitor, withVisitor } from './support/visitor.ts'

const AIM = { aim: 90 }
const MAX_SHIFT = { atMost: 0.02 }

const PAGES = [
  { name: 'sign-in page', path: () => '/sign-in', as: 'stranger' },
  { name: 'devices page', path: (slug: string) => `/${slug}/devices`, as: 'admin' },
  { name: 'API Keys panel', path: (slug: string) => `/${slug}/users/api-keys`, as: 'admin' },
  { name: 'settings page', path: (slug: string) => `/${slug}/settings`, as: 'admin' },
] as const

/** What a phone makes of the pages of an operator's portal. */
export const lighthouse: Question = {
  id: 'lighthouse',
  asks: 'first load of four pages of the package on a phone, by Lighthouse',
  isLong: true,
  async answer(bench) {
    const port = await freePort()
    const options = { program: installPackage(), switches: [`--remote-debugging-port=${port}`] }
    return withVisitor(bench.progress, (visitor, absent) => withLighthouse(bench, { port, visitor, absent }), options)
  },
}

interface Visit {
  port: number
  visitor: Visitor | undefined
  absent: NonNullable<Answer['absent']>
}

async function withLighthouse(bench: Bench, { port, visitor, absent }: Visit): Promise<Answer> {
  if (!visitor) return { findings: [], systems: [], absent }
  bench.progress.say('lighthouse · installing it')
  const tool = await startLighthouse(port).catch((error: unknown) => absentBy('Lighthouse', error))
  if ('why' in tool) return { findings: [], systems: [], absent: [tool] }
  try {
    return { findings: await auditAll(bench, visitor, tool), systems: [] }
  } finally {
    await tool.stop()
  }
}

/** The pages in turn, so that other load on the machine affects all of them alike. */
async function auditAll({ effort, progress }: Bench, visitor: Visitor, tool: Lighthouse): Promise<Finding[]> {
  const loads = PAGES.map((): Load[] => [])
  for (let i = 1; i <= effort.visits; i++) {
    for (const [index, { name, path, as }] of PAGES.entries()) {
      progress.say(`lighthouse · ${name}, ${i} of ${effort.visits}`)
      const url = `http://127.0.0.1:${visitor.portal.port}${path(visitor.slug)}`
      const load = await tool.audit({ name, url, ...(as === 'admin' ? { cookie: visitor.cookie } : {}) })
      loads[index]?.push(load)
    }
  }
  return PAGES.flatMap(({ name }, index) => findingsOf(name, loads[index] ?? []))
}

function findingsOf(name: string, loads: Load[]): Finding[] {
  const all = (what: keyof Load) => summarize(loads.map((load) => load[what]))
  const seconds = (what: keyof Load) => summarize(loads.map((load) => load[what] / 1000))
  return [
    { what: `performance of the ${name}`, value: all('score'), unit: 'of 100', budget: AIM },
    { what: `layout shift of the ${name}`, value: all('layoutShift'), unit: 'CLS', budget: MAX_SHIFT },
    { what: `script files of the ${name}, in all`, value: all('scripts'), unit: 'files' },
    { what: `first contentful paint of the ${name}`, value: seconds('firstPaintMs'), unit: 's' },
    { what: `largest contentful paint of the ${name}`, value: seconds('largestPaintMs'), unit: 's' },
    { what: `total blocking time of the ${name}`, value: all('blockedMs'), unit: 'ms' },
  ]
}
