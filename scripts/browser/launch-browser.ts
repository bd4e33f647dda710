import { type Browser, chromium } from 'playwright-core'
import { chooseBrowser, NoBrowserError } from './choose-browser.ts'
import { thisMachine } from './this-machine.ts'

/**
 * What a whole Chromium does for each window and a test never sees. The popup of the address bar alone is two pages, which
 * double the CPU of an empty window. The list replaces Playwright's own, so what matters of that stands here too.
 */
const UNUSED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'Translate',
]

const SWITCHES = [
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-background-networking',
  `--disable-features=${UNUSED_FEATURES.join(',')}`,
]

/** The path of the browser that `launchBrowser` starts; it is installed where there is none. */
const findBrowser = async () => chooseBrowser(await thisMachine())

/**
 * A real browser, which ends with the process that started it. In Chromium's sandbox, except as root, where Chromium refuses
 * to have one; without the switches that loosen what a browser forbids to a page.
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findBrowser()
  const chromiumSandbox = process.getuid?.() !== 0
  try {
    return await chromium.launch({ executablePath, args: SWITCHES, chromiumSandbox, headless: true })
  } catch (error) {
    const isAboutSandbox = chromiumSandbox && /sandbox/i.test(String(error))
    throw new NoBrowserError(
      isAboutSandbox
        ? `${executablePath} cannot start its sandbox here: allow user namespaces (\`sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0\`), or run the tests as root.`
        : `${executablePath} says its version, but does not start: set CHROMIUM_PATH to another Chrome, Chromium or Edge.`,
      { cause: error },
    )
  }
}
