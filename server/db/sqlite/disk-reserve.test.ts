import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { canMount, smallDisk } from '../../../test/support/process/small-disk.ts'
import { DiskReserve } from './disk-reserve.ts'

const KIB = 1024
const SIZE = { bytes: 64 * KIB, stepBytes: 16 * KIB }

let file: string

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  file = join(folder, 'some.db')
  writeFileSync(file, '')
})

const sizeOf = (reserve: DiskReserve) => statSync(reserve.path).size / KIB

it('keeps real bytes in a private file beside the file', async () => {
  const reserve = new DiskReserve(file, SIZE)
  expect(reserve.isFull).toBe(false)
  expect(await reserve.refill()).toBe('room')
  expect(reserve.isFull).toBe(true)
  expect(reserve.path).toBe(`${file}.reserve`)
  const { size, blocks, mode } = statSync(reserve.path)
  expect(size).toBe(SIZE.bytes)
  expect(blocks * 512).toBeGreaterThanOrEqual(SIZE.bytes)
  expect(mode & 0o777).toBe(0o600)
})

it('releases a step at a time, down to nothing or to the part that is to stay', async () => {
  const reserve = new DiskReserve(file, SIZE)
  expect(reserve.release()).toBe(false)
  await reserve.refill()
  expect([reserve.release(0.5), sizeOf(reserve)]).toEqual([true, 48])
  expect([reserve.release(0.5), sizeOf(reserve)]).toEqual([true, 32])
  expect([reserve.release(0.5), sizeOf(reserve)]).toEqual([false, 32])
  expect([reserve.release(), reserve.release(), reserve.release()]).toEqual([true, true, false])
  expect(sizeOf(reserve)).toBe(0)
})

it('several may fill and release the same one at once, and it is never larger than it should be', async () => {
  const many = Array.from({ length: 4 }, () => new DiskReserve(file, SIZE))
  const [first = new DiskReserve(file, SIZE)] = many
  await Promise.all(many.map((each) => each.refill()))
  expect(sizeOf(first)).toBe(64)
  await Promise.all(many.map(async (each) => each.release() && (await each.refill())))
  expect(sizeOf(first)).toBe(64)
})

it('stops filling when it is told to, and does nothing where it may not write', async () => {
  const reserve = new DiskReserve(file, SIZE)
  let steps = 2
  expect(await reserve.refill(() => steps-- > 0)).toBe('unknown')
  expect(sizeOf(reserve)).toBe(32)

  const nowhere = new DiskReserve(join(file, 'below-a-file'), SIZE)
  expect([await nowhere.refill(), nowhere.release(), nowhere.isFull]).toEqual(['unknown', false, false])
  expect(existsSync(nowhere.path)).toBe(false)
})

it.skipIf(!canMount)('fills what the disk has room for, and the rest when there is room again', async () => {
  const disk = smallDisk(256)
  file = join(disk.folder, 'some.db')
  writeFileSync(file, '')
  const reserve = new DiskReserve(file, SIZE)
  await reserve.refill()
  disk.fill()
  expect(await reserve.refill()).toBe('no room') // it is whole, but nothing else has room
  reserve.release()
  writeFileSync(join(disk.folder, 'other'), Buffer.alloc(4 * KIB))
  expect([await reserve.refill(), sizeOf(reserve)]).toEqual(['no room', 60])
  disk.makeRoom()
  expect([await reserve.refill(), sizeOf(reserve)]).toEqual(['room', 64])
})
