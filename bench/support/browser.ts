import chromiumForServers from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** A real Chromium, which comes from npm and ends with the bench. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumForServers.executablePath(),
    args: ['--disable-gpu', '--font-render-hinting=none', '--disable-background-networking'],
    headless: true,
  })
}
