import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listOf, newSender } from '../../test/support/world/leak-sender.ts'
import { parsePublicKeys, readLeakKeys } from './leak-keys.ts'

const sender = newSender('one')

it('accepts a file with at least one key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'keys.json')
  const problem = 'names a file without public keys: a JSON object with a list "public_keys" is needed'
  writeFileSync(file, '{"public_keys":[]}')
  expect(readLeakKeys(file)).toBe(problem)
  writeFileSync(file, `${listOf(sender)}${' '.repeat(64 * 1024)}`)
  expect(readLeakKeys(file)).toBe(problem)
  writeFileSync(file, listOf(sender))
  expect(readLeakKeys(file)).toEqual({ file })
})

it('takes no private key, and no key of another kind', () => {
  const pem = sender.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const publicKey of [pem, newSender('x', 'secp256k1').publicKey, 'x', ''])
    expect(() => parsePublicKeys(listOf({ identifier: 'one', publicKey })), publicKey).toThrow('no public key')
})
