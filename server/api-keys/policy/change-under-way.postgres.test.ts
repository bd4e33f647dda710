import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import type { Answer } from '../../../test/support/world/http.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { PATIENT, untilItWaits } from '../../../test/support/world/waiting.ts'
import { startWorld, type TestKey, type TestOrganization } from '../../../test/support/world/world.ts'
import { writeUnderWay } from '../../../test/support/world/write-under-way.ts'
import { forUpdate } from '../../db/locks.ts'

const it = inOrganization(() => startWorld({ timeouts: PATIENT }))

const asAda = (acme: TestOrganization, document: string) => acme.call(`mutation { ${document} }`)

describe('C12: a change of a key or its rules waits for a write with the key that is in progress', () => {
  it.for<[string, (key: TestKey) => string]>([
    ['whether it manages keys', () => 'setApiKeyPolicy(input: { allowKeyManagement: false }) { maxKeys }'],
    ['networks', () => 'setApiKeyPolicy(input: { allowedNetworks: ["10.0.0.0/8"] }) { maxKeys }'],
    ['browsers', () => 'setApiKeyPolicy(input: { rejectBrowsers: true }) { maxKeys }'],
    ['an end', () => 'setApiKeyPolicy(input: { maxLifetimeDays: 1 }, applyToExisting: [MAX_LIFETIME]) { maxKeys }'],
    ['C10, access', (key) => `updateApiKey(id: "${key.id}", input: { access: READ_ONLY }) { id }`],
    ['C10, networks of its own', (key) => `updateApiKey(id: "${key.id}", input: { allowedNetworks: ["::1"] }) { id }`],
    ['C15, a pause', (key) => `pauseApiKey(id: "${key.id}") { id }`],
    ['C15, a pause with an end', (key) => `pauseApiKey(id: "${key.id}", seconds: 60) { id }`],
    ['its label', (key) => `renameApiKey(id: "${key.id}", label: "other") { id }`],
    ['a rotation with an overlap', (key) => `rotateApiKey(id: "${key.id}", overlapSeconds: 60) { secret }`],
    ['a rotation without', (key) => `rotateApiKey(id: "${key.id}", overlapSeconds: 0) { secret }`],
    ['a revoke', (key) => `revokeApiKey(id: "${key.id}") { ids }`],
    ['a revoke of all', () => 'revokeApiKeys(input: { all: true }) { ids }'],
    ['the switch', () => 'setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id }'],
  ])('%s', async ([_what, document], { world, acme, key }) => {
    const write = await writeUnderWay(world, key)
    let isAnswered = false
    const { done } = await untilItWaits(world, () =>
      asAda(acme, document(key)).then((answer) => {
        isAnswered = true
        return answer
      }),
    )
    expect(isAnswered).toBe(false)
    write.goOn()
    await write.done
    fieldOf(await done)
  })
})

describe('C12: a write that arrives during a change of its key is checked against the changed key', () => {
  it.for<[string, string, string, Partial<{ rules: string; expiresAt: number; pausedUntil: number }>]>([
    ['networks', 'createDevice(input: { name: "late" }) { id }', 'FORBIDDEN', { rules: '{"networks":["10.0.0.0/8"]}' }],
    [
      'managing keys',
      'setApiKeyPolicy(input: { allowKeyManagement: true }) { maxKeys }',
      'FORBIDDEN',
      { rules: '{"noKeys":true}' },
    ],
    ['an end', 'createDevice(input: { name: "late" }) { id }', 'API_KEY_EXPIRED', { expiresAt: 1 }],
    ['C10, access', 'createDevice(input: { name: "late" }) { id }', 'FORBIDDEN', { rules: '{"access":"READ_ONLY"}' }],
    [
      'C10, networks of its own',
      'createDevice(input: { name: "late" }) { id }',
      'FORBIDDEN',
      { rules: '{"ownNetworks":["10.0.0.0/8"]}' },
    ],
    ['C15, a pause', 'createDevice(input: { name: "late" }) { id }', 'API_KEY_PAUSED', { pausedUntil: 4e12 }],
  ])('%s', async ([_what, document, code, to], { world, key }) => {
    const [claimed, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const change = world.database.transaction(async (db) => {
      await forUpdate(db, db.selectFrom('apiKey').select('id').where('id', '=', key.id)).execute()
      claimed.resolve()
      await goOn.promise
      await db.updateTable('apiKey').set(to).where('id', '=', key.id).execute()
    })
    await claimed.promise
    const { done } = await untilItWaits(
      world,
      (): Promise<Answer> => world.asKey(key.secret).call(`mutation { ${document} }`),
    )
    goOn.resolve()
    await change
    expect(codesOf(await done)).toEqual([code])
  })
})
