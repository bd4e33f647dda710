import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../../scripts/browser/launch-browser.ts'

let browser: Promise<Browser> | undefined

/** One browser for all test files of this worker, each test in a context of its own; it ends with the worker. */
export function ownBrowser(): Promise<Browser> {
  browser ??= launchBrowser()
  return browser
}
