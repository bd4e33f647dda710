import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listOf, newSender, serving, startKeyServer } from '../../../test/support/world/leak-sender.ts'
import { HOUR, MINUTE } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { createSenderKeys } from './public-keys.ts'

const one = newSender('one')
const two = newSender('two')

const it = test
  .extend('server', async ({ task: _ }, { onCleanup }) => {
    const server = await startKeyServer(serving(listOf(one)))
    onCleanup(server.close)
    return server
  })
  .extend('clock', () => ({ time: Date.UTC(2026, 10, 16) }))
  .extend(
    'keysWithin',
    ({ server, clock }) =>
      (answerWithinMs: number) =>
        createSenderKeys(
          { address: new URL(server.url) },
          { now: () => clock.time, log: createLog('silent'), answerWithinMs },
        ),
  )
  .extend('keys', ({ keysWithin }) => keysWithin(30_000))

const isUnavailable = { code: 'UNAVAILABLE', details: { retryAfterSeconds: 60 } }
const failing: RequestListener = (_request, response) => void response.writeHead(500).end()

describe('the public keys of senders', () => {
  it('are fetched once an hour', async ({ server, clock, keys }) => {
    expect(server.requests).toEqual([])
    for (const minutes of [0, 1, 58]) {
      clock.time += minutes * MINUTE
      expect(await keys.find('one')).toBeDefined()
    }
    expect(server.requests).toHaveLength(1)
    clock.time += MINUTE
    expect(await keys.find('one')).toBeDefined()
    expect(server.requests).toHaveLength(2)
  })

  it('are fetched once for those who ask at the same time', async ({ server, keys }) => {
    const found = await Promise.all(Array.from({ length: 50 }, (_, i) => keys.find(i % 2 === 0 ? 'one' : 'nobody')))
    expect(found.map((key) => key !== undefined)).toEqual(found.map((_, i) => i % 2 === 0))
    expect(server.requests).toHaveLength(1)
  })

  it('are fetched again for an unknown identifier, at most once a minute', async ({ server, clock, keys }) => {
    await keys.find('one')
    server.setAnswer(serving(listOf(one, two)))
    for (const identifier of ['two', 'three', 'two']) expect(await keys.find(identifier)).toBeUndefined()
    expect(server.requests).toHaveLength(1)
    clock.time += MINUTE
    expect(await keys.find('two')).toBeDefined()
    expect(await keys.find('three')).toBeUndefined()
    expect(server.requests).toHaveLength(2)
  })

  it('are used until their hour is over when they cannot be fetched', async ({ server, clock, keys }) => {
    await keys.find('one')
    server.setAnswer(failing)
    clock.time += 59 * MINUTE
    expect(await keys.find('one')).toBeDefined()
    await expect(keys.find('two')).rejects.toMatchObject(isUnavailable) // it may be a new one
    expect(await keys.find('one')).toBeDefined()
    clock.time += MINUTE
    await expect(keys.find('one')).rejects.toMatchObject(isUnavailable)
    const { length } = server.requests
    for (const identifier of ['one', 'two']) await expect(keys.find(identifier)).rejects.toMatchObject(isUnavailable)
    expect(server.requests).toHaveLength(length) // not again within a minute
    server.setAnswer(serving(listOf(one)))
    clock.time += MINUTE
    expect(await keys.find('one')).toBeDefined()
  })

  it.for<[string, RequestListener]>([
    ['an error', failing],
    ['a redirect', (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
    ['no list', serving('{}')],
    ['no JSON', serving('<html>')],
    ['a list without keys', serving('{"public_keys":[]}')],
    ['more than 64 KiB', serving(`${listOf(one)}${' '.repeat(64 * 1024)}`)],
  ])('are not there after %s', async ([_what, answer], { server, keys }) => {
    server.setAnswer(answer)
    await expect(keys.find('one')).rejects.toMatchObject(isUnavailable)
    expect(server.requests).toEqual(['/keys'])
  })

  it.for<[string, RequestListener]>([
    ['an answer that does not end', (_request, response) => void response.writeHead(200).write('{')],
    ['no answer', () => {}],
  ])('are not waited for without end: %s', async ([_what, answer], { server, keysWithin }) => {
    server.setAnswer(answer)
    await expect(keysWithin(50).find('one')).rejects.toMatchObject(isUnavailable)
  })

  it('are used when there are others that cannot be', async ({ server, keys }) => {
    const list = JSON.parse(listOf(one, newSender('rsa-like', 'secp521r1'))) as { public_keys: unknown[] }
    const odd = [null, 1, {}, { key_identifier: 'x', key: 'no key' }, { key_identifier: '../x', key: two.publicKey }]
    server.setAnswer(serving(JSON.stringify({ public_keys: [...odd, ...list.public_keys] })))
    expect(await keys.find('one')).toBeDefined()
    for (const identifier of ['rsa-like', 'x', '../x']) expect(await keys.find(identifier)).toBeUndefined()
  })

  it('are read again from a file after an hour', async ({ clock }) => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-'))
    const file = join(folder, 'keys.json')
    writeFileSync(file, listOf(one))
    const keys = createSenderKeys({ file }, { now: () => clock.time, log: createLog('silent') })
    expect(await keys.find('one')).toBeDefined()
    rmSync(folder, { recursive: true })
    clock.time += HOUR - 1
    expect(await keys.find('one')).toBeDefined()
    clock.time += 1
    await expect(keys.find('one')).rejects.toMatchObject(isUnavailable)
  })
})
