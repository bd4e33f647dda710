import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { whyNotRunnable } from './program-file.ts'
import { thisMachine } from './this-machine.ts'

/** The first bytes of a program for Linux on such a CPU. */
function elf(cpu: number): Buffer {
  const head = Buffer.alloc(64)
  head.write('\x7fELF\x02\x01\x01', 'latin1')
  head.writeUInt16LE(2, 16)
  head.writeUInt16LE(cpu, 18)
  return head
}

function fileWith(bytes: Buffer | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'chromium')
  writeFileSync(path, bytes)
  chmodSync(path, 0o755)
  return path
}

it.each([
  ['a program for this CPU', elf(183), 'arm64', undefined],
  ['a program for this CPU', elf(62), 'x64', undefined],
  ['a script', '#!/bin/sh\nexec chromium', 'arm64', undefined],
  ['a program for x64', elf(62), 'arm64', 'is built for x64, and this machine is arm64'],
  ['a program for arm64', elf(183), 'x64', 'is built for arm64, and this machine is x64'],
  ['a program for something else', elf(8), 'x64', 'is built for another CPU (8), and this machine is x64'],
  ['half of a program', elf(62).subarray(0, 18), 'x64', 'is not a program'],
  ['a text', 'export PATH\n'.repeat(10), 'x64', 'is not a program'],
  ['nothing', '', 'x64', 'is not a program'],
])('%s (%#)', async (_what, bytes, arch, reason) => {
  expect(await whyNotRunnable(fileWith(bytes), arch)).toBe(reason)
})

it.runIf(process.platform === 'linux')(
  'a program for another CPU is not started, and no shell interprets it',
  async () => {
    const path = fileWith(Buffer.concat([elf(8), Buffer.from(`\ntouch "$(dirname "$0")/interpreted"\n`)]))
    const { check } = await thisMachine()

    expect(await check(path)).toEqual({ reason: expect.stringContaining('is built for another CPU') })
    expect(readdirSync(join(path, '..'))).toEqual(['chromium'])
  },
)

it.runIf(process.platform !== 'win32')('a program that starts and fails is not the browser', async () => {
  const { check } = await thisMachine()
  expect(await check(fileWith('#!/bin/sh\nexit 1\n'))).toEqual({ reason: 'does not start' })
  expect(await check(fileWith('#!/bin/sh\necho Chromium 156\n'))).toBe('runs')
  expect(await check('/nowhere/chromium')).toBe('missing')
  expect(await check(tmpdir())).toEqual({ reason: 'is not a program' })
  const notExecutable = fileWith('#!/bin/sh\n')
  chmodSync(notExecutable, 0o644)
  expect(await check(notExecutable)).toEqual({ reason: 'is not a program' })
})
