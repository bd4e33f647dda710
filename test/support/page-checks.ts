import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  help: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** Nothing that axe knows of keeps anybody out: names, roles, contrast, order. */
export async function noViolations(page: Page): Promise<void> {
  await settled(page)
  await page.evaluate(axe) // through the debugger: the page's own policy stays as strict as it is
  const violations = (await page.evaluate('axe.run(document).then((found) => found.violations)')) as Violation[]
  expect(
    violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`),
    })),
  ).toEqual([])
}

/** Nothing is cut off or has to be dragged into view. */
export async function noSidewaysScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(beyond, `pixels beyond the right edge of ${page.url()}`).toBe(0)
}

/** What moves has come to rest: a colour half way between two is nobody's contrast. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter((moving) => moving.effect?.getComputedTiming().endTime !== Infinity)
    .map((moving) => moving.finished)).then(() => undefined)`)
}
