import chromiumForServers from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** A real Chromium; it comes from npm, and needs neither root nor apt. It ends with the process that started it. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumForServers.executablePath(),
    args: [...chromiumForServers.args, '--disable-background-networking', '--disable-component-update'],
    headless: true,
  })
}

let running: Promise<Browser> | undefined

export function browser(): Promise<Browser> {
  running ??= launchBrowser()
  return running
}

export async function closeBrowser(): Promise<void> {
  await (await running)?.close()
  running = undefined
}
