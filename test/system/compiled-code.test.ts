import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fence } from '../support/process/fence.ts'
import { startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { canMount, smallDisk } from '../support/process/small-disk.ts'
import { compiledIn, filesBelow, smallPackage, TELL_COMPILED } from '../support/process/small-package.ts'

const BOTH = ['main', 'part']
const SAID = 'main one\npart one\n'
const NOTHING = { loaded: [], stored: [] }
const FRESH = { stdout: SAID, loaded: [], stored: BOTH }
const AGAIN = { stdout: SAID, loaded: BOTH, stored: [] }
const NOT_KEPT = { stdout: SAID, ...NOTHING }
const MIB = 1024 * 1024

/** A file named main: where two have that name, either may get a number in the bundle. */
const MAIN = expect.stringMatching(/^main\d*$/)

const storeOf = (dataDir: string) => join(dataDir, 'compiled')
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** The folder of this Node.js in the store. */
function shelfOf(dataDir: string): string {
  const [name = ''] = readdirSync(storeOf(dataDir)).filter((each) => each.startsWith(process.version))
  return join(storeOf(dataDir), name)
}

describe('a portal', () => {
  it('stores what it has compiled when it stops; the next start loads it and writes none of it again', async () => {
    const dataDir = temporaryFolder()
    const served = async () => {
      const portal = await startPortal(dataDir, { env: TELL_COMPILED })
      await portal.stop()
      return compiledIn(portal.stderr())
    }
    const first = await served()
    const files = filesBelow(storeOf(dataDir))
    expect(first).toMatchObject({ loaded: [], stored: expect.arrayContaining([MAIN]) })

    const { loaded, stored } = await served()
    expect(loaded).toContainEqual(MAIN)
    expect(stored.filter((name) => first.stored.includes(name))).toEqual([]) // what is loaded later differs from start to start
    const after = filesBelow(storeOf(dataDir))
    expect(new Map([...files.keys()].map((name) => [name, after.get(name)]))).toEqual(files)
  })
})

describe('compiled code', () => {
  it('is stored by the first start and loaded by the next', async () => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    expect(await start(dataDir)).toEqual(FRESH)
    expect(await start(dataDir)).toEqual(AGAIN)
  })

  it('of another version in the same place is not run', async () => {
    const { start, write } = smallPackage()
    const dataDir = temporaryFolder()
    await start(dataDir)
    write('two')
    expect(await start(dataDir)).toEqual({ stdout: 'main two\npart two\n', loaded: [], stored: BOTH })
    expect(await start(dataDir)).toMatchObject({ stdout: 'main two\npart two\n', loaded: BOTH })
  })

  it.each([
    ['empty', (file: string) => truncateSync(file)],
    ['cut off', (file: string) => truncateSync(file, statSync(file).size - 100)],
    ['changed in one byte', (file: string) => flip(file, (bytes) => bytes.length - 10)],
    ['changed at the beginning', (file: string) => flip(file, () => 2)],
    ['something else', (file: string) => writeFileSync(file, 'x'.repeat(5000))],
  ])('that is %s is compiled and stored anew', async (_how, damage) => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    await start(dataDir)
    for (const name of readdirSync(shelfOf(dataDir))) damage(join(shelfOf(dataDir), name))
    expect(await start(dataDir)).toEqual(FRESH)
    expect(await start(dataDir)).toEqual(AGAIN)
  })

  it('of starts at the same time is whole', async () => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    const starts = await Promise.all(Array.from({ length: 6 }, () => start(dataDir)))
    expect(starts.map(({ stdout }) => stdout)).toEqual(starts.map(() => SAID))
    expect(await start(dataDir)).toEqual(AGAIN)
    expect(readdirSync(shelfOf(dataDir))).toHaveLength(BOTH.length) // none is left half written
  })

  it('is used by serve alone, and can be turned off', async () => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    expect(await start(dataDir, { command: 'doctor' })).toEqual(NOT_KEPT)
    expect(readdirSync(dataDir)).toEqual([])
    expect(await start(dataDir, { env: { NODE_DISABLE_COMPILE_CACHE: '1' } })).toEqual(NOT_KEPT)
  })
})

function flip(file: string, at: (bytes: Buffer) => number): void {
  const bytes = readFileSync(file)
  const index = at(bytes)
  bytes[index] = (bytes[index] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

describe('a start without a place for compiled code', () => {
  it('is a start all the same: no data folder yet, or a file where the store would be', async () => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    expect(await start(join(dataDir, 'none'))).toEqual(NOT_KEPT)
    writeFileSync(storeOf(dataDir), '')
    expect(await start(dataDir)).toEqual(NOT_KEPT)
  })

  it('is a start all the same: nothing can be written there', async () => {
    const { before, user = 0 } = fence()
    const { start } = smallPackage()
    const [withStore, without] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(storeOf(withStore))
    for (const path of [storeOf(withStore), withStore, without]) {
      chownSync(path, user, user)
      chmodSync(path, 0o500)
    }
    expect(await start(withStore, { before })).toEqual(NOT_KEPT)
    expect(await start(without, { before })).toEqual(NOT_KEPT)
    for (const path of [withStore, without]) chmodSync(path, 0o700) // so that it can be removed
  })

  it.runIf(canMount)('is a start all the same: the disk is full', async () => {
    const { start } = smallPackage()
    const disk = smallDisk(256)
    mkdirSync(storeOf(disk.folder), { mode: 0o700 })
    disk.fill()
    expect(await start(disk.folder)).toMatchObject({ stdout: SAID, loaded: [] })
    disk.makeRoom()
    await start(disk.folder)
    expect(await start(disk.folder)).toEqual(AGAIN)
  })
})

describe('the place of compiled code', () => {
  it.each(['000', '022', '077'])('cannot be entered by others, whatever the umask: %s', async (umask) => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    chmodSync(dataDir, 0o755)
    const before = ['sh', '-c', `umask ${umask}; exec "$0" "$@"`]
    expect(await start(dataDir, { before })).toEqual(FRESH)
    expect(modeOf(storeOf(dataDir))).toBe('700')
  })

  it.each(['755', '710', '770', '777'])('is not used if others could enter it: %s', async (mode) => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    mkdirSync(storeOf(dataDir))
    chmodSync(storeOf(dataDir), mode)
    expect(await start(dataDir)).toEqual(NOT_KEPT)
    expect(readdirSync(storeOf(dataDir))).toEqual([])
  })

  it.each(['775', '777'])('is not made where others could replace it: %s', async (mode) => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    chmodSync(dataDir, mode)
    expect(await start(dataDir)).toEqual(NOT_KEPT)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('is not used if it belongs to somebody else', async () => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    mkdirSync(storeOf(dataDir), { mode: 0o700 })
    chownSync(storeOf(dataDir), 65534, 65534)
    expect(await start(dataDir)).toEqual(NOT_KEPT)
  })
})

describe('the store of compiled code', () => {
  it('has nothing of other versions of Node.js, and what is not of Node.js stays', async () => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    await start(dataDir)
    for (const name of ['v22.0.0-arm64-11111111-0', 'v24.7.0-x64-22222222-1000', 'notes']) {
      mkdirSync(join(storeOf(dataDir), name))
      writeFileSync(join(storeOf(dataDir), name, 'file'), '')
    }
    expect(await start(dataDir)).toEqual(AGAIN)
    expect(readdirSync(storeOf(dataDir)).filter((name) => !name.startsWith(process.version))).toEqual(['notes'])
  })

  it('is emptied when it is too large', async () => {
    const { start } = smallPackage()
    const dataDir = temporaryFolder()
    await start(dataDir)
    const former = (bytes: number) => writeFileSync(join(shelfOf(dataDir), '00000000'), Buffer.alloc(bytes))
    former(15 * MIB)
    expect(await start(dataDir)).toEqual(AGAIN)
    former(16 * MIB)
    expect(await start(dataDir)).toEqual(FRESH)
    expect(readdirSync(shelfOf(dataDir))).toHaveLength(BOTH.length)
  })

  it('that somebody else has set for Node.js is used, and not emptied', async () => {
    const { start } = smallPackage()
    const [dataDir, other] = [temporaryFolder(), temporaryFolder()]
    const env = { NODE_COMPILE_CACHE: other }
    await start(dataDir, { env })
    const [own = ''] = readdirSync(other)
    mkdirSync(join(other, 'v22.0.0-arm64-11111111-0'))
    writeFileSync(join(other, own, '00000000'), Buffer.alloc(17 * MIB))
    expect(await start(dataDir, { env })).toMatchObject({ loaded: BOTH })
    expect(readdirSync(storeOf(dataDir))).toEqual([])
    expect(readdirSync(other)).toContain('v22.0.0-arm64-11111111-0')
    expect(readdirSync(join(other, own))).toContain('00000000')
  })
})
