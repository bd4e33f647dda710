import { type Browser, chromium } from 'playwright-core'
import { chooseBrowser, NoBrowserError } from './choose-browser.ts'
import { thisMachine } from './this-machine.ts'

/**
 * Features of a full Chromium that a test never needs. The popup of the address bar alone is two pages, which double
 * the CPU time of an empty window. The list replaces Playwright's own, so it includes what matters of that.
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

/** The path of the browser to start; installs one if there is none. */
const findBrowser = async () => chooseBrowser(await thisMachine())

/**
 * Starts a real browser, which ends with the process that started it. It runs in Chromium's sandbox, except as root,
 * where Chromium refuses, and without the switches that weaken the security of pages.
 */
export async function launchBrowser(switches: string[] = []): Promise<Browser> {
  const executablePath = await findBrowser()
  const chromiumSandbox = process.getuid?.() !== 0
  try {
    return await chromium.launch({ executablePath, args: [...SWITCHES, ...switches], chromiumSandbox, headless: true })
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
