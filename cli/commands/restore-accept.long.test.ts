import { copyFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { acceptKeys, findHold } from '../../server/ledger/accept.ts'
import { AUDIT, auditLines } from '../../test/support/world/command-line.ts'
import { answerTo, type HeldPortal, withHeldPortal } from '../../test/support/world/held-portal.ts'
import type { World } from '../../test/support/world/world.ts'

const HELD = '403 KEYS_HELD'
const REVOKED = '401 API_KEY_INVALID'
const ACCEPT = ['restore', 'accept']

const it = withHeldPortal()

describe('restore accept', () => {
  it('C11, K9: --revoke-all revokes every key of every organization, for good', async ({ held, storage }) => {
    const world = await held.start()
    const { code, stdout } = await held.run([...ACCEPT, '--revoke-all', '--yes'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/: 0 accepted, 4 revoked\.\n$/) })
    const all = { kept: REVOKED, other: REVOKED, lost: REVOKED, revoked: REVOKED, own: REVOKED }
    expect(await held.answersOf(world)).toEqual(all)
    const { acme, keys } = held
    expect(await released(held, world)).toEqual([
      `API_KEYS_RELEASED Acme keys accepted 0, revoked 3: ${[keys.kept, keys.other, keys.lost].map(idOf).join(', ')} by SYSTEM`,
    ])
    expect(await released(held, world, 'bob')).toEqual([
      `API_KEYS_RELEASED Bob keys accepted 0, revoked 1: ${keys.own.id} by SYSTEM`,
    ])
    const ada = await held.signIn(world, held.ada)
    expect(await answerTo(world, await world.generateKey(ada, acme)), 'a new key').toBe('200')
    await world.close()

    await storage.restore()
    const again = await held.start()
    expect(await held.answersOf(again), 'after another restore of the same backup').toEqual(all)
    await again.close()
  })

  it('C11, K9: --keep accepts these keys again and revokes all others', async ({ held, storage }) => {
    const { kept, own, other, lost } = held.keys
    const { code, stdout } = await held.run([...ACCEPT, '--keep', kept.id, own.id, '--yes', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      heldSince: expect.stringMatching(/Z$/),
      acceptedAt: expect.stringMatching(/Z$/),
      accepted: 2,
      revoked: [other.id, lost.id],
      durable: true,
    })
    const decided = { kept: '200', own: '200', other: REVOKED, lost: REVOKED, revoked: REVOKED }
    const world = await held.start()
    expect(await held.answersOf(world)).toEqual(decided)
    expect(await released(held, world)).toEqual([
      `API_KEYS_RELEASED Acme keys accepted 1, revoked 2: ${other.id}, ${lost.id} by SYSTEM`,
    ])
    expect(await released(held, world, 'bob'), 'a personal account that lost no key').toEqual([])
    await world.close()

    await storage.restore()
    const again = await held.start()
    expect(await held.answersOf(again), 'after another restore of the same backup').toEqual(decided)
    await again.close()
  })

  it('C11: --keep-all accepts every key that the database has, also with other ledgers', async ({ held, storage }) => {
    const incomplete = `${storage.ledger}.incomplete`
    copyFileSync(storage.ledger, incomplete)
    const { code, stdout } = await held.run([...ACCEPT, '--keep-all', '--yes'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/: 4 accepted, 0 revoked\.\n$/) })
    const decided = { kept: '200', own: '200', other: '200', lost: '200', revoked: REVOKED }
    const world = await held.start()
    expect(await held.answersOf(world)).toEqual(decided)
    const another = await held.start({ LEDGER: incomplete })
    expect(await held.answersOf(another), 'the operator is not asked twice').toEqual(decided)
    const complete = await held.start({ LEDGER: held.completeLedger })
    expect(await answerTo(complete, held.keys.lost), 'a revocation that is found later still counts').toBe(REVOKED)
    await Promise.all([world.close(), another.close(), complete.close()])
  })

  it('asks first, with the keys that are revoked and those that are accepted again', async ({ held }) => {
    const { kept, other } = held.keys
    const asked = await held.run([...ACCEPT, '--keep', kept.id], {}, 'no\n')
    expect(asked).toMatchObject({ code: 1, stdout: '' })
    const [, toRevoke = '', toKeep = ''] = asked.stderr.split(/^Revoked, for good:$|^Accepted again, .*$/m)
    expect([toRevoke.includes(other.id), toKeep.includes(kept.id), toKeep.includes(other.id)]).toEqual([
      true,
      true,
      false,
    ])
    expect(asked.stderr).toContain('Nothing was changed: answer yes, or give --yes.')
    const world = await held.start()
    expect(await answerTo(world, kept)).toBe(HELD)
    await world.close()
    expect(await held.run([...ACCEPT, '--keep', kept.id], {}, 'yes\n')).toMatchObject({ code: 0 })
  })

  it.for([
    ['an id that does not exist', ['--keep', '01kp3v9x2m8q4w7r5t1y6n0b3c', '--yes'], 1, 'NOT_FOUND'],
    ['no option', ['--yes'], 2, 'BAD_USER_INPUT'],
    ['two options', ['--keep-all', '--revoke-all', '--yes'], 2, 'BAD_USER_INPUT'],
  ] as const)('with %s nothing changes', async ([, args, code, error], { held }) => {
    const refused = await held.run([...ACCEPT, ...args, '--json'])
    expect(refused).toMatchObject({ code, stdout: '' })
    const last = refused.stderr.trimEnd().split('\n').at(-1) // before it, that the database was restored
    expect(JSON.parse(last ?? '')).toMatchObject({ error: { code: error } })
    const world = await held.start()
    expect(await answerTo(world, held.keys.kept)).toBe(HELD)
    expect(await released(held, world)).toEqual([])
    await world.close()
  })

  it('is refused where no key is held', async ({ held }) => {
    await held.run([...ACCEPT, '--keep-all', '--yes'])
    const refused = await held.run([...ACCEPT, '--revoke-all', '--yes', '--json'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(refused.stderr)).toEqual({
      error: { code: 'CONFLICT', message: 'No API key is held: there is nothing to decide.' },
    })
  })
})

describe('a decision about a database that has changed since the question', () => {
  it('C11: is refused, and nothing changes', async ({ held }) => {
    const world = await held.start()
    const hold = await findHold(world.database.read)
    await held.start({ LEDGER: held.completeLedger }).then(({ close }) => close())
    const { database } = world
    const stale = { since: hold?.since ?? 0, incarnation: hold?.incarnation ?? 0 }
    const all = new Set(Object.values(held.keys).map(idOf))
    await expect(acceptKeys(database, stale, all)).rejects.toMatchObject({ code: 'CONFLICT' })
    await database.transaction((db) => db.updateTable('revocationState').set({ heldSince: stale.since }).execute())
    await expect(acceptKeys(database, stale, all)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await database.read.selectFrom('apiKey').select('id').execute()).toHaveLength(3)
    await world.close()
  })
})

describe('while keys are held', () => {
  it('C11: key list, key show and key generate say so', async ({ held }) => {
    const { acme, keys } = held
    const said = /No key is accepted since .* UTC: .* restore accept decides/
    const commands = [
      ['key', 'list', '--org', acme.slug],
      ['key', 'show', keys.kept.id],
      ['key', 'generate', '--org', acme.slug],
    ]
    for (const command of commands) {
      expect((await held.run(command)).stdout).toMatch(said)
      const document = JSON.parse((await held.run([...command, '--json'])).stdout)
      expect([document].flat()[0]).toMatchObject({ heldSince: expect.stringMatching(/Z$/) })
    }
    await held.run([...ACCEPT, '--keep-all', '--yes'])
    for (const command of commands) expect((await held.run(command)).stdout).not.toMatch(said)
  })
})

/** What the audit log of Acme, or of Bob's personal account, has about the decision. */
async function released(held: HeldPortal, world: World, whose: 'ada' | 'bob' = 'ada'): Promise<string[]> {
  const person = await held.signIn(world, held[whose])
  const slug = whose === 'ada' ? held.acme.slug : person.personalSlug
  return auditLines(await person.call(AUDIT, {}, slug)).filter((line) => line.startsWith('API_KEYS_RELEASED'))
}

const idOf = ({ id }: { id: string }) => id
