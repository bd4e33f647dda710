import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { OperatorError } from './failure.ts'
import { keptSecret } from './kept-secret.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('is made once, for the eyes of its owner alone, and is the same from then on', () => {
  const folder = newFolder()
  const secret = keptSecret(folder)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(keptSecret(folder)).toBe(secret)
  expect(readdirSync(folder)).toEqual(['portal.secret'])
  expect(statSync(join(folder, 'portal.secret')).mode & 0o777).toBe(0o600)
  expect(keptSecret(newFolder())).not.toBe(secret)
})

it('is the same for all who make it at once', async () => {
  const folder = newFolder()
  const at = Date.now() + 1500 // so that all of them have started
  const script = `const { keptSecret } = await import(${JSON.stringify(import.meta.resolve('./kept-secret.ts'))})
    while (Date.now() < ${at});
    process.stdout.write(keptSecret(${JSON.stringify(folder)}))`
  const run = promisify(execFile)
  const args = ['--input-type=module', '--eval', script]
  const made = await Promise.all(Array.from({ length: 6 }, () => run(process.execPath, args)))
  const secrets = made.map(({ stdout }) => stdout)
  expect(new Set(secrets).size).toBe(1)
  expect(readFileSync(join(folder, 'portal.secret'), 'utf8')).toBe(`${secrets[0]}\n`)
  expect(readdirSync(folder)).toEqual(['portal.secret'])
})

it('says so when what is kept is no secret', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'portal.secret'), '')
  expect(() => keptSecret(folder)).toThrow(OperatorError)
})
