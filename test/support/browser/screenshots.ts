import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../../../scripts/browser/launch-browser.ts'
import { startWorld } from '../world/world.ts'
import { builtWeb } from './built-web.ts'
import { namesOn, PICTURES, visitScenes } from './scenes.ts'

// Run by `npm run screenshots`: takes the pictures of the README from a running portal.
const { webDir, remove } = await builtWeb()
const world = await startWorld({ webDir, now: Date.now })
const browser = await launchBrowser()
mkdirSync(PICTURES, { recursive: true })
try {
  await visitScenes(world, browser, async (page, picture) => {
    await page.screenshot({ path: join(PICTURES, `${picture}.png`), animations: 'disabled' })
    writeFileSync(join(PICTURES, `${picture}.txt`), await namesOn(page))
  })
} finally {
  await browser.close()
  await world.close()
  remove()
}
