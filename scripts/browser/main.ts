import { NoBrowserError } from './choose-browser.ts'
import { launchBrowser } from './launch-browser.ts'

// The first step of the browser tests: finds or installs a browser and starts it, or says in one sentence what to do.
try {
  const browser = await launchBrowser()
  console.log(`Browser: ${browser.browserType().name()} ${browser.version()}`)
  await browser.close()
} catch (error) {
  if (!(error instanceof NoBrowserError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
