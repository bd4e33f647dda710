import type { Page } from 'playwright-core'
import { download } from './support/call.ts'
import type { Finding, Question } from './support/question.ts'
import { summarize } from './support/statistics.ts'
import { type Visitor, withVisitor } from './support/visitor.ts'

const BUDGET = { atMost: 160 }
const MAX_FILES = { atMost: 12 }

/** How much JavaScript a new visitor waits for. */
export const firstLoad: Question = {
  id: 'P8',
  asks: 'JavaScript that a page loads before anything is clicked, gzipped',
  answer: ({ progress }) =>
    withVisitor(progress, async (visitor, absent) => {
      if (!visitor) return { findings: [], systems: [], absent }
      const { slug } = visitor
      return {
        findings: [
          ...(await weigh(visitor, 'sign-in page', { path: '/sign-in', as: 'stranger' })),
          ...(await weigh(visitor, 'devices page', { path: `/${slug}/devices`, as: 'admin' })),
          ...(await weigh(visitor, 'API Keys panel', { path: `/${slug}/users/api-keys`, as: 'admin' })),
        ],
        systems: [],
      }
    }),
}

/** The browser reports which scripts are loaded, the portal how many bytes they have on the wire. */
async function weigh(
  { portal, open }: Visitor,
  name: string,
  { path, as }: { path: string; as: 'stranger' | 'admin' },
): Promise<Finding[]> {
  const context = await open(as)
  const page = await context.newPage()
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
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
