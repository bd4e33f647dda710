import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, peopleAs } from '../../test/support/world/people.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { LIMITS } from '../config/limits.ts'
import { DAY, MINUTE } from '../lib/clock.ts'
import { createEncryption } from '../lib/encryption.ts'
import { signingSecrets, WEBHOOK_PURPOSE } from './webhook-secret.ts'

const it = inOrganization(() => startWorld()).extend('hooks', ({ acme }) => webhooksAs(acme.call))

const CREATE = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }'

describe('a webhook', () => {
  it('is created with a secret of Standard Webhooks that is shown once and stored encrypted', async ({
    world,
    acme,
    hooks,
  }) => {
    const { webhook, secret } = await hooks.create({ description: 'the warehouse' })
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/)
    expect(webhook).toMatchObject({ url: 'https://hooks.example/in', enabled: true, state: 'ACTIVE' })
    expect(await hooks.list()).toEqual([webhook])
    expect(await hooks.find(webhook.id)).toEqual(webhook)
    const events = eventsOf(await peopleAs(acme.call).audit())
    expect(events[0]).toMatchObject({ action: 'WEBHOOK_CREATED', subject: 'the warehouse' })
    expect([await world.storage.dump(), world.logged().join()].join()).not.toContain(secret.slice(6))
  })

  it('is changed, disabled and enabled; an equal value is no change', async ({ acme, hooks }) => {
    const { webhook } = await hooks.create()
    await hooks.update(webhook.id, { enabled: false, events: ['DEVICE_DELETED', 'API_KEY_REVOKED', 'DEVICE_DELETED'] })
    expect(await hooks.find(webhook.id)).toMatchObject({
      enabled: false,
      state: 'PAUSED',
      events: ['API_KEY_REVOKED', 'DEVICE_DELETED'],
      pausedReason: null,
    })
    await hooks.update(webhook.id, { enabled: false })
    await hooks.update(webhook.id, { enabled: true, url: 'http://other.example:8080/' })
    expect(await hooks.find(webhook.id)).toMatchObject({ state: 'ACTIVE', url: 'http://other.example:8080/' })
    const events = eventsOf(await peopleAs(acme.call).audit())
    expect(events.filter(({ action }) => action === 'WEBHOOK_UPDATED')).toHaveLength(2)
  })

  it('is deleted once', async ({ hooks }) => {
    const { webhook } = await hooks.create()
    expect((await hooks.remove(webhook.id)).data).toEqual({ deleteWebhook: webhook.id })
    expect(codesOf(await hooks.remove(webhook.id))).toEqual(['NOT_FOUND'])
    expect(await hooks.list()).toEqual([])
  })

  it('gets another secret, and says until when the old one signs as well', async ({ world, hooks }) => {
    const { webhook, secret } = await hooks.create()
    const rotated = await hooks.rotate(webhook.id)
    expect(rotated.secret).not.toBe(secret)
    expect(rotated.webhook.secretRotatesAt).toBe(new Date(world.clock.now() + DAY).toISOString())
    await hooks.rotate(webhook.id, 60)
    world.clock.advance(MINUTE)
    expect(await hooks.find(webhook.id)).toMatchObject({ secretRotatesAt: null })
    expect((await hooks.rotate(webhook.id, 0)).webhook.secretRotatesAt).toBeNull()
  })

  it('is one of at most twenty of an organization', async ({ acme, hooks }) => {
    for (let i = 0; i < LIMITS.webhooks; i++) await hooks.create()
    const input = { url: 'https://hooks.example', events: ['DEVICE_CREATED'] }
    expect(codesOf(await acme.call(CREATE, { input }))).toEqual(['LIMIT_EXCEEDED'])
  })
})

it('the old secret signs until the end of the overlap, and no longer', () => {
  const encryption = createEncryption('a secret of this portal, long enough to be one', WEBHOOK_PURPOSE)
  const [secret, previousSecret] = [encryption.encrypt('new', 'id'), encryption.encrypt('old', 'id')]
  const signing = (now: number) =>
    signingSecrets(encryption, { id: 'id', secret, previousSecret, previousSecretUntil: 1000 }, now)
  expect([signing(999), signing(1000)]).toEqual([['new', 'old'], ['new']])
})

describe('a webhook is refused', () => {
  it.for([
    ['no URL', 'hooks.example/in'],
    ['another protocol', 'ftp://hooks.example/in'],
    ['a password', 'https://ada:secret@hooks.example/in'],
    ['a fragment', 'https://hooks.example/in#part'],
    ['an empty fragment', 'https://hooks.example/in#'],
    ['loopback', 'http://127.0.0.1/in'],
    ['loopback, written as a number', 'http://2130706433/in'],
    ['loopback in IPv6', 'http://[::1]/in'],
    ['loopback as IPv4 in IPv6', 'http://[::ffff:127.0.0.1]/in'],
    ['loopback by NAT64', 'http://[64:ff9b::7f00:1]/in'],
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      'localhost.localdomain',
      'ip6-localhost',
      'ip6-loopback',
    ].map((host) => [`this machine as ${host}`, `http://${host}/in`] as const),
    ...['0', '0x7f.1', '127.1', '127.0.0.1.', '017700000001', '１２７.0.0.1', 'ⓛocalhost', '[::]', '0.0.0.0'].map(
      (host) => [`this machine as ${host}`, `http://${host}:8080/in`] as const,
    ),
    ...[
      'router',
      'db.internal',
      'printer.local',
      'nas.lan',
      'x.svc.cluster.local',
      'a.home.arpa.',
      'metadata.google.internal',
    ].map((host) => [`a private name: ${host}`, `https://${host}/in`] as const),
    ['a private network', 'https://10.1.2.3/in'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['carrier-grade NAT', 'http://100.100.100.200/in'],
    ['too long', `https://hooks.example/${'x'.repeat(2000)}`],
  ])('with %s', async ([, url], { acme }) => {
    const answer = await acme.call(CREATE, { input: { url, events: ['DEVICE_CREATED'] } })
    expect(answer.errors).toMatchObject([{ code: 'BAD_USER_INPUT' }])
    expect(JSON.stringify(answer.errors)).toContain('url')
  })

  it('without events, and with TEST, which nobody subscribes to', async ({ acme }) => {
    for (const events of [[], ['TEST']])
      expect(codesOf(await acme.call(CREATE, { input: { url: 'https://hooks.example', events } }))).toEqual([
        'BAD_USER_INPUT',
      ])
  })
})
