import chromiumForServers from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/**
 * A real Chromium; it comes from npm, needs neither root nor apt, and ends with the process that started it.
 * Without the switches that its package suggests: some of them loosen what a browser forbids.
 */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumForServers.executablePath(),
    args: ['--disable-gpu', '--font-render-hinting=none', '--disable-background-networking'],
    headless: true,
  })
}
