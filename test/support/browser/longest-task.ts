import type { Page } from 'playwright-core'

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** CPU time, in microseconds. */
  tdur?: number
  args: { name?: string }
}

/**
 * The longest task of the page, in ms of the CPU, from an action on until something is true: on a busy machine it takes
 * little more of it. Both are scripts that the page runs: what Playwright does to click on something is a long task itself.
 */
export async function longestTask(page: Page, action: string, until = 'true'): Promise<number> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page is not one of a browser that was launched.')
  await browser.startTracing(page, { categories: ['toplevel'] })
  await page.evaluate(`new Promise((done) => {
    ${WHAT_PEOPLE_DO}
    const look = () => (${until}) ? done() : setTimeout(look, 20)
    setTimeout(() => {
      ${action}
      setTimeout(look, 20)
    })
  })`)
  const trace = await browser.stopTracing()
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] } // as Chromium writes it
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain'
  const mains = new Set(traceEvents.filter(isMain).map(threadOf))
  const tasks = traceEvents.filter(
    (event) => event.name === 'ThreadControllerImpl::RunTask' && mains.has(threadOf(event)),
  )
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}

const WHAT_PEOPLE_DO = `
  const main = document.querySelector('#main')
  const shows = (words) => main.innerText.includes(words)
  const press = (words) => [...main.querySelectorAll('a, button')].find((each) => each.textContent.trim() === words).click()
  const fill = (label, value) => {
    const field = main.querySelector('[aria-label="' + label + '"]')
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value)
    field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }))
  }`
