import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { OperatorError } from '../lib/app-error.ts'
import { readSecretFile } from './secret-file.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('is created once, readable by its owner only, and stays the same', () => {
  const folder = newFolder()
  const secret = readSecretFile(folder)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(readSecretFile(folder)).toBe(secret)
  expect(readdirSync(folder)).toEqual(['portal.secret'])
  expect(statSync(join(folder, 'portal.secret')).mode & 0o777).toBe(0o600)
  expect(readSecretFile(newFolder())).not.toBe(secret)
})

/** Each has loaded what it needs and waits at a gate; once all of them do, it opens for all. */
async function inThreads(many: number, folder: string): Promise<string[]> {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const script = `const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.module).then(({ readSecretFile }) => {
      parentPort.postMessage('ready')
      Atomics.wait(workerData.gate, 0, 0)
      parentPort.postMessage(readSecretFile(workerData.folder))
    })`
  const workerData = { gate, folder, module: import.meta.resolve('./secret-file.ts') }
  const threads = Array.from({ length: many }, () => new Worker(script, { eval: true, workerData }))
  await Promise.all(threads.map((thread) => once(thread, 'message')))
  const made = threads.map((thread) => once(thread, 'message'))
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
  return (await Promise.all(made)).map(([secret]) => String(secret))
}

it('is the same for processes that create it at the same time', async () => {
  const folder = newFolder()
  const secrets = await inThreads(6, folder)
  expect(new Set(secrets).size).toBe(1)
  expect(readFileSync(join(folder, 'portal.secret'), 'utf8')).toBe(`${secrets[0]}\n`)
  expect(readdirSync(folder)).toEqual(['portal.secret'])
})

it('reports a file that contains no secret', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'portal.secret'), '')
  expect(() => readSecretFile(folder)).toThrow(OperatorError)
})
