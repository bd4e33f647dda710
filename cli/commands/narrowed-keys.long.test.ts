import { describe, expect } from 'vitest'
import { AUDIT, auditLines, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inOrganization(startWithCommandLine).extend('portal', { scope: 'file' }, ({ world }) => world.portal)

const ASK = '{ viewer { role } }'
const UNRESTRICTED = {
  access: 'ADMIN',
  deviceId: null,
  allowedNetworks: [],
  notBefore: null,
  requestsPerSecond: null,
  requestsPerDay: null,
}

describe('C10: key generate and key update', () => {
  it('take every restriction, and clear it', async ({ world, portal, acme }) => {
    const create = 'mutation { createDevice(input: { name: "edge" }) { id } }'
    const { id: device } = fieldOf<{ id: string }>(await acme.call(create))
    const made = await portal.answerOf<{ id: string; secret: string }>([
      ...['key', 'generate', '--org', acme.slug, '--access', 'check-in', '--device', device, '--per-second', '50'],
      ...['--network', '127.0.0.1', '--network', '10.0.0.0/8', '--not-before', '2026-01-01', '--per-day', '100'],
    ])
    const chosen = {
      access: 'CHECK_IN',
      deviceId: device,
      allowedNetworks: ['127.0.0.1/32', '10.0.0.0/8'],
      notBefore: '2026-01-01T00:00:00.000Z',
      requestsPerSecond: 50,
      requestsPerDay: 100,
      paused: false,
    }
    expect(made).toMatchObject(chosen)
    const checkIn = 'mutation ($id: ID!) { checkInDevice(id: $id) { id } }'
    expect(codesOf(await world.asKey(made.secret).call(checkIn, { id: device }))).toEqual([])
    const [listed] = await portal.answerOf<object[]>(['key', 'list', '--org', acme.slug])
    expect(listed).toMatchObject({ id: made.id, ...chosen })
    expect((await portal.run(['key', 'list', '--org', acme.slug])).stdout).toMatch(
      /ACCESS[\s\S]*CHECK_IN.*\n {2}bound to device \w+; accepted only from 127.0.0.1\/32, 10.0.0.0\/8; not before/,
    )
    const { stdout } = await portal.run(['key', 'show', made.id])
    expect(stdout).toMatch(
      /access +CHECK_IN\n +bound to device +\w+\n +accepted only from +127.0.0.1\/32, 10.0.0.0\/8\n/,
    )

    const clear = ['--clear', 'networks', 'not-before', 'per-second', 'per-day']
    const updated = await portal.answerOf(['key', 'update', made.id, '--access', 'ADMIN', ...clear])
    expect(updated).toMatchObject({ id: made.id, ...UNRESTRICTED })
    expect(codesOf(await world.asKey(made.secret).call('{ apiKeys { totalCount } }'))).toEqual([])
    expect(auditLines(await acme.call(AUDIT))[0]).toContain('API_KEY_UPDATED')
  })

  it.for<[string, number, string, string[]]>([
    ['an unknown access', 2, 'BAD_USER_INPUT', ['--access', 'root']],
    ['no change', 2, 'BAD_USER_INPUT', []],
    ['nothing that can be cleared', 2, 'BAD_USER_INPUT', ['--clear', 'access']],
    ['0 requests', 2, 'BAD_USER_INPUT', ['--per-day', '0']],
    ['too many requests', 2, 'BAD_USER_INPUT', ['--per-second', '10001']],
    ['a network that is none', 2, 'BAD_USER_INPUT', ['--network', '10.0.0.1/8']],
    ['a device of nobody', 1, 'NOT_FOUND', ['--access', 'CHECK_IN', '--device', 'none']],
  ])('key update is refused with %s', async ([_what, code, error, args], { portal, key }) => {
    expect(await portal.refusalOf(['key', 'update', key.id, ...args])).toMatchObject({ code, error: { code: error } })
  })
})

describe('C15: key pause and key resume', () => {
  it('hold at once for a running server, and key show says who is refused', async ({ world, portal, acme, key }) => {
    const paused = await portal.answerOf(['key', 'pause', key.id, '--for', '1h'])
    expect(paused).toMatchObject({ paused: true, pausedBy: { kind: 'SYSTEM', name: 'command line' } })
    const beside = await startWorld({ beside: { storage: world.storage }, now: world.clock.now })
    expect((await beside.asKey(key.secret).call(ASK)).status).toBe(403)
    await beside.close() // writes what was counted
    const shown = (await portal.run(['key', 'list', '--org', acme.slug])).stdout
    expect(shown).toMatch(new RegExp(`${key.id} .* ADMIN .*\\n  paused since .* by command line, until .*\\n`))
    const { stdout } = await portal.run(['key', 'show', key.id])
    expect(stdout).toMatch(
      /paused +since .* by command line, until .*\n[\s\S]*refused since then +1 in the last 48 hours\n +refused from +127.0.0.1/,
    )
    expect(await portal.answerOf(['key', 'show', key.id])).toMatchObject({ refusedWhilePaused: { calls: 1 } })
    expect(await portal.answerOf(['key', 'resume', key.id])).toMatchObject({ paused: false, pausedUntil: null })
    expect((await world.asKey(key.secret).call(ASK)).status).toBe(200)
    const [resumed, begun] = auditLines(await acme.call(AUDIT))
    expect([resumed, begun]).toEqual([
      expect.stringContaining('API_KEY_RESUMED'),
      expect.stringContaining('API_KEY_PAUSED'),
    ])
  })

  it.for(['0', '366d', 'a while'])('--for %s is refused', async (length, { portal, key }) => {
    const refused = await portal.refusalOf(['key', 'pause', key.id, '--for', length])
    expect(refused).toMatchObject({ code: 2, error: { code: 'BAD_USER_INPUT' } })
  })

  it('a key of nobody is refused', async ({ portal }) => {
    for (const command of ['pause', 'resume'])
      expect(await portal.refusalOf(['key', command, 'none'])).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
  })
})
