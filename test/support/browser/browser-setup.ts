import { NoBrowserError } from '../../../scripts/browser/choose-browser.ts'
import { launchBrowser } from '../../../scripts/browser/launch-browser.ts'
import { buildWeb } from '../../../scripts/build-web.js'
import type { SCREENS } from './screens.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    screen: (typeof SCREENS)[keyof typeof SCREENS]
  }
}

/** Before the first browser test: there is a browser that starts, or one sentence says what to do. Then the pages are built, once. */
export default async function setup(): Promise<void> {
  try {
    await (await launchBrowser()).close()
  } catch (error) {
    if (error instanceof NoBrowserError) error.stack = '' // the sentence is all there is to say
    throw error
  }
  await buildWeb()
}
