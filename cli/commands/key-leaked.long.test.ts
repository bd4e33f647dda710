import { describe, expect } from 'vitest'
import { mintSecret } from '../../server/secrets/secret.ts'
import { AUDIT, auditLines, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { fieldOf } from '../../test/support/world/people.ts'

const it = inOrganization(startWithCommandLine).extend('portal', ({ world }) => world.portal)

describe('key leaked', () => {
  it('revokes the key of the secret on stdin, and tells its Admins where it was found', async ({
    world,
    acme,
    portal,
    key,
  }) => {
    const url = 'https://example.com/paste'
    const answer = await portal.answerOf(['key', 'leaked', '--yes', '--url', url], `${key.secret}\n`)
    const expected = { revoked: true, id: key.id, label: 'ci', canary: null, descendantCount: 0, durable: true }
    expect(answer).toEqual(expected)
    expect(await world.accepts(key.secret)).toBe(false)
    expect(auditLines(await acme.call(AUDIT))).toContain(`API_KEY_LEAKED ci found: ${url}; key ${key.id} by SYSTEM`)
    const emails = fieldOf<{ data: { text: string }[] }>(await acme.call('{ emails { data { text } } }')).data
    expect(emails[0]?.text).toContain(`found: ${url}`)
    const again = await portal.run(['key', 'leaked', '--yes'], key.secret)
    expect(again).toMatchObject({ code: 0, stdout: 'This key was revoked before. There is nothing to do.\n' })
  })

  it('does nothing without --yes, a whole secret or a key', async ({ world, portal, key }) => {
    expect(await portal.run(['key', 'leaked'], key.secret)).toMatchObject({ code: 2 })
    const refusals: [string, object][] = [
      [mintSecret('emp_'), { code: 1, error: { code: 'NOT_FOUND' } }],
      [key.secret.slice(0, -1), { code: 2, error: { code: 'BAD_USER_INPUT' } }],
      ['', { code: 2, error: { code: 'BAD_USER_INPUT' } }],
    ]
    for (const [secret, refusal] of refusals)
      expect(await portal.refusalOf(['key', 'leaked', '--yes'], secret)).toMatchObject(refusal)
    expect(await portal.run(['key', 'leaked', key.secret, '--yes'])).toMatchObject({ code: 2 }) // not as an argument
    expect(await world.accepts(key.secret)).toBe(true)
  })
})

describe('key canary', () => {
  it('generates, lists and deletes', async ({ world, acme, portal }) => {
    const org = ['--org', acme.slug]
    const made = await portal.answerOf<{ id: string; secret: string }>([
      ...['key', 'canary', 'generate', '--label', 'in the wiki', ...org],
    ])
    expect(await world.accepts(made.secret)).toBe(false)
    const list = () =>
      portal.answerOf<{ calls: number; lastUsedIp: string | null }[]>(['key', 'canary', 'list', ...org])
    await expect.poll(list).toMatchObject([{ id: made.id, label: 'in the wiki', calls: 1, lastUsedIp: '127.0.0.1' }])
    expect((await portal.run(['key', 'canary', 'list', ...org])).stdout).toContain('in the wiki')
    expect(await portal.answerOf(['key', 'leaked', '--yes'], made.secret)).toMatchObject({
      revoked: false,
      canary: made.id,
    })
    expect((await portal.run(['key', 'canary', 'delete', made.id, ...org])).code).toBe(0)
    expect(await list()).toEqual([])
    const gone = await portal.refusalOf(['key', 'canary', 'delete', made.id, ...org])
    expect(gone).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
  })
})
