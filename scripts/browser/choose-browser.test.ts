import { describe, expect, it } from 'vitest'
import { chooseBrowser, type Machine, NoBrowserError } from './choose-browser.ts'

const DEBIANS = '/usr/bin/chromium'
const FROM_NPM = '/tmp/chromium'
const PLAYWRIGHTS = '/home/ada/.cache/ms-playwright/chromium'
const FOREIGN = 'is built for x64, and this machine is arm64'

interface Setting extends Partial<Machine> {
  /** What is at a path, if anything is. */
  files?: Record<string, 'runs' | { reason: string }>
  /** What can be reached from here. */
  reaches?: ('npm' | 'apt-get' | 'playwright')[]
}

/** A Linux machine with nothing on it, but for what a test says; and what was done to it. */
function machineOf({ files = {}, reaches = [], ...rest }: Setting) {
  const done: string[] = []
  const bring = async (way: 'npm' | 'apt-get' | 'playwright', path: string) => {
    done.push(way)
    if (!reaches.includes(way)) throw new Error(`${way} cannot be reached`)
    files[path] = 'runs'
  }
  const machine: Machine = {
    platform: 'linux',
    arch: 'arm64',
    isRoot: false,
    hasAptGet: true,
    env: { PATH: '/usr/local/bin:/usr/bin' },
    check: async (path) => files[path] ?? 'missing',
    unpackFromNpm: async () => {
      await bring('npm', FROM_NPM)
      return FROM_NPM
    },
    installByAptGet: () => bring('apt-get', DEBIANS),
    playwrightsOwn: () => PLAYWRIGHTS,
    downloadByPlaywright: () => bring('playwright', PLAYWRIGHTS),
    ...rest,
  }
  return { machine, done }
}

async function chosen(setting: Setting) {
  const { machine, done } = machineOf(setting)
  return { path: await chooseBrowser(machine), done }
}

async function refusal(setting: Setting) {
  const { machine, done } = machineOf(setting)
  const error = await chooseBrowser(machine).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(NoBrowserError)
  return { message: (error as NoBrowserError).message, done }
}

const ALL = { reaches: ['npm', 'apt-get', 'playwright'] } satisfies Setting

describe('the browser of the tests', () => {
  it('is the one in CHROMIUM_PATH, before all others', async () => {
    const files = { '/opt/mine': 'runs', [DEBIANS]: 'runs' } as const
    expect(await chosen({ files, env: { CHROMIUM_PATH: '/opt/mine', PATH: '/usr/bin' } })).toEqual({
      path: '/opt/mine',
      done: [],
    })
  })

  it.each([
    ['does not exist', {}],
    [FOREIGN, { '/opt/mine': { reason: FOREIGN } }],
  ])('is not replaced by another one if CHROMIUM_PATH names one that %s', async (reason, files) => {
    const setting = { ...ALL, files: { ...files, [DEBIANS]: 'runs' as const }, env: { CHROMIUM_PATH: '/opt/mine' } }
    const { message, done } = await refusal(setting)
    expect(message).toBe(
      `CHROMIUM_PATH names /opt/mine, which ${reason}: unset it, or set it to a Chrome, Chromium or Edge that runs here.`,
    )
    expect(done).toEqual([])
  })

  it.each([
    ['Chrome on the PATH', { PATH: '/opt/bin:/usr/bin' }, 'linux', '/opt/bin/google-chrome'],
    ['Chromium on the PATH', { PATH: '/usr/local/bin:/usr/bin' }, 'linux', '/usr/bin/chromium'],
    ['Edge on the PATH', { PATH: '/usr/bin' }, 'linux', '/usr/bin/microsoft-edge'],
    ['Chrome in its folder', { PATH: '/usr/bin' }, 'linux', '/opt/google/chrome/chrome'],
    ['a snap', {}, 'linux', '/snap/bin/chromium'],
    ['Chrome', {}, 'darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    [
      'Edge of one person',
      { HOME: '/Users/ada' },
      'darwin',
      '/Users/ada/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    ],
    [
      'Chrome',
      { PROGRAMFILES: 'C:\\Program Files' },
      'win32',
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    ],
    [
      'Edge',
      { 'PROGRAMFILES(X86)': 'C:\\Program Files (x86)' },
      'win32',
      'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    ],
    [
      'Chrome of one person',
      { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' },
      'win32',
      'C:\\Users\\ada\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe',
    ],
  ] as const)('is an installed one: %s (%o, %s)', async (_which, env, platform, path) => {
    expect(await chosen({ ...ALL, platform, env, files: { [path]: 'runs' } })).toEqual({ path, done: [] })
  })

  it('is not taken from a relative or empty entry of the PATH', async () => {
    const env = { PATH: ':.:bin' }
    const files = { chromium: 'runs', 'bin/chromium': 'runs', '/chromium': 'runs' } as const
    expect((await chosen({ ...ALL, env, files })).path).toBe(PLAYWRIGHTS)
  })

  it('is one that Playwright has downloaded before, without using the network', async () => {
    expect(await chosen({ files: { [PLAYWRIGHTS]: 'runs' } })).toEqual({ path: PLAYWRIGHTS, done: [] })
  })

  it('is never a program for another architecture: the next one is tried', async () => {
    const files = { '/usr/local/bin/chromium': { reason: FOREIGN }, [DEBIANS]: 'runs' } as const
    expect(await chosen({ files })).toEqual({ path: DEBIANS, done: [] })
  })

  it('comes from npm only on linux-x64', async () => {
    expect(await chosen({ ...ALL, arch: 'x64', isRoot: true })).toEqual({ path: FROM_NPM, done: ['npm'] })
    expect((await chosen({ ...ALL, arch: 'arm64', isRoot: true })).done).not.toContain('npm')
    expect((await chosen({ ...ALL, arch: 'x64', platform: 'darwin' })).done).not.toContain('npm')
  })

  it('is installed by apt-get, as root and if there is an apt-get', async () => {
    expect(await chosen({ ...ALL, isRoot: true })).toEqual({ path: DEBIANS, done: ['apt-get'] })
    expect((await chosen({ ...ALL, isRoot: false })).done).toEqual(['playwright'])
    expect((await chosen({ ...ALL, isRoot: true, hasAptGet: false })).done).toEqual(['playwright'])
  })

  it('is downloaded by Playwright as a last resort', async () => {
    const setting: Setting = { isRoot: true, arch: 'x64', reaches: ['playwright'] }
    expect(await chosen(setting)).toEqual({ path: PLAYWRIGHTS, done: ['npm', 'apt-get', 'playwright'] })
  })

  it.each([
    ['linux', true, true, 'apt-get install -y chromium'],
    ['linux', false, true, 'sudo apt-get install -y chromium'],
    ['linux', false, false, 'npx playwright-core install --with-deps chromium'],
    ['darwin', false, false, 'brew install --cask google-chrome'],
    ['win32', false, false, 'winget install Google.Chrome'],
  ] as const)(
    'is requested in one sentence if none can be installed (%s, root %s, apt-get %s): %s',
    async (platform, isRoot, hasAptGet, command) => {
      const { message } = await refusal({ platform, isRoot, hasAptGet })
      expect(message).toContain(`run \`${command}\`, or set CHROMIUM_PATH`)
      expect(message.split('\n')).toHaveLength(1)
    },
  )

  it('is requested with the reason why the found ones do not run', async () => {
    const { message } = await refusal({ files: { [DEBIANS]: { reason: FOREIGN } } })
    expect(message).toContain(`${DEBIANS} ${FOREIGN}`)
  })
})
