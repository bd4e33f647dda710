import { launchBrowser } from '../../scripts/browser/launch-browser.ts'
import { buildWeb } from '../../scripts/build-web.js'
import type { SCREENS } from './screens.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    screen: (typeof SCREENS)[keyof typeof SCREENS]
  }
}

/** Before the first browser test: there is a browser that starts, or one error says what to do. Then the pages are built, once. */
export default async function setup(): Promise<void> {
  const browser = await launchBrowser()
  await browser.close()
  await buildWeb()
}
