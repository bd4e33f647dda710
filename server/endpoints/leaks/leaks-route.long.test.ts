import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import {
  listOf,
  newSender,
  type Reported,
  report,
  reportOf,
  serving,
  signatureOf,
  startKeyServer,
} from '../../../test/support/world/leak-sender.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { mintSecret } from '../../secrets/secret.ts'

const github = newSender('github-1')
const stranger = newSender('github-1')
const otherCurve = newSender('p384', 'secp384r1')

const it = inOrganization(async () => {
  const keyServer = await startKeyServer(serving(listOf(github, otherCurve)))
  const world = await startWorld({ env: { LEAK_KEYS: keyServer.url } })
  return {
    ...world,
    close: async () => {
      await world.close()
      await keyServer.close()
    },
  }
})

const REFUSED = { status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } }

const labelsOf = ({ body }: Reported) => (body as { label: string }[]).map(({ label }) => label)

interface Event {
  action: string
  subject: string
  details: string
  actor: { kind: string; name: string }
}

const EVENTS = '{ auditEvents(first: 500) { data { action subject details actor { kind name } } } }'
const leakEvents = async (acme: TestOrganization) =>
  fieldOf<{ data: Event[] }>(await acme.call(EVENTS)).data.filter(({ action }) => action.endsWith('_LEAKED'))

const EMAILS = '{ emails(first: 500) { data { to subject text } } }'
const emailsOf = async (acme: TestOrganization) =>
  fieldOf<{ data: { to: string; subject: string; text: string }[] }>(await acme.call(EMAILS)).data

describe('a report by a verified sender', () => {
  it('revokes the key, labels it, and tells the Admins where it was found', async ({ world, ada, acme }) => {
    const key = await acme.generateKey({ label: 'nightly export' })
    expect(await world.accepts(key.secret)).toBe(true)
    const answer = await report(world.url, github, reportOf(key.secret))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual([
      {
        token_hash: createHash('sha256').update(key.secret).digest('hex'),
        token_type: 'edge_portal_api_key',
        label: 'true_positive',
      },
    ])
    expect(await world.accepts(key.secret)).toBe(false)
    const where = 'https://github.com/octocat/hello/blob/1234560/config-0.env (content)'
    expect(await leakEvents(acme)).toEqual([
      {
        action: 'API_KEY_LEAKED',
        subject: 'nightly export',
        details: `found: ${where}; key ${key.id}; reported by a secret scanner`,
        actor: { kind: 'SYSTEM', name: 'portal' },
      },
    ])
    const [email, another] = await emailsOf(acme)
    expect(another).toBeUndefined()
    expect(email).toMatchObject({ to: ada.email, subject: 'Leaked API key nightly export of Acme was revoked' })
    for (const text of [
      where,
      key.id,
      'last used: 2026-11-15 12:00 UTC from 127.0.0.1',
      `/${acme.slug}/api-keys/${key.id}/changes`,
    ])
      expect(email?.text).toContain(text)
  })

  it('revokes what cannot be used now too: expired keys, and those of a disabled feature', async ({ world, acme }) => {
    const lasting = await acme.generateKey()
    const expired = await acme.generateKey({ expiresAt: new Date(world.clock.now() + 1000).toISOString() })
    world.clock.advance(2000)
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    expect(labelsOf(await report(world.url, github, reportOf(lasting.secret, expired.secret)))).toEqual([
      'true_positive',
      'true_positive',
    ])
    expect((await leakEvents(acme)).map(({ details }) => details?.match(/key (\w+)/)?.[1]).sort()).toEqual(
      [lasting.id, expired.id].sort(),
    )
    expect(await emailsOf(acme)).toHaveLength(1) // one for all keys of a report
  })

  it('labels what is none of our keys, however it looks', async ({ world }) => {
    const tokens = [mintSecret('emp_'), mintSecret('ems_'), 'NMIfyYncKcRALEXAMPLE', `emp_${'0'.repeat(49)}`, 'é\0']
    expect(labelsOf(await report(world.url, github, reportOf(...tokens)))).toEqual(tokens.map(() => 'false_positive'))
  })

  it('does nothing further when it is sent again', async ({ world, acme, key }) => {
    const body = reportOf(key.secret)
    const signature = signatureOf(github, body)
    expect(labelsOf(await report(world.url, github, body, { signature }))).toEqual(['true_positive'])
    world.clock.advance(60_000)
    expect(labelsOf(await report(world.url, github, body, { signature }))).toEqual(['true_positive'])
    expect([await leakEvents(acme), await emailsOf(acme)].map(({ length }) => length)).toEqual([1, 1])
  })

  it('does not revoke the keys that a leaked key generated, but tells how many there are', async ({ world, acme }) => {
    const parent = await acme.generateKey({ label: 'parent' })
    const generate = 'mutation { generateApiKey(input: { label: "child" }) { secret } }'
    const child = fieldOf<{ secret: string }>(await world.asKey(parent.secret).call(generate))
    await report(world.url, github, reportOf(parent.secret))
    expect(await world.accepts(child.secret)).toBe(true)
    expect((await leakEvents(acme))[0]?.details).toContain('; 1 key generated by it not revoked')
    expect((await emailsOf(acme))[0]?.text).toContain('keys that it generated, still there: 1')
  })

  it('keeps secrets and passwords in the address out of everything that is stored', async ({ world, acme, key }) => {
    const escaped = [...key.secret].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('')
    const urls = [
      `https://ada:hunter2@example.com/?q=${key.secret}`,
      `https://example.com/${escaped}`,
      `https://example.com/${escaped.replaceAll('%', '%25')}`,
      `https://example.com/\u001b[31m\n${key.secret.slice(0, 5)}\u0000${key.secret.slice(5)}`,
    ]
    const body = JSON.stringify(urls.map((url) => ({ token: key.secret, type: key.secret, url, source: key.secret })))
    const answer = await report(world.url, github, body)
    expect(answer.status).toBe(200)
    const places = (await emailsOf(acme))[0]?.text.split('\n').filter((line) => line.startsWith('  found:'))
    expect(places).toEqual([
      '  found: https://example.com/?q=[secret] ([secret])',
      '  found: example.com/[secret] ([secret])',
      '  found: example.com/[secret] ([secret])',
      '  found: https://example.com/[31m[secret] ([secret])',
    ])
    const everything = [await world.storage.dump(), world.logged().join(), JSON.stringify(answer.body)].join()
    for (const secret of [key.secret, escaped, 'hunter2', key.secret.slice(10)])
      expect(everything).not.toContain(secret)
  })

  it('takes 1,000 entries in one report, of several organizations', async ({ world, ada, acme }) => {
    const other = await world.organization('Other', { admin: ada })
    const keys = [await acme.generateKey(), await other.generateKey(), await acme.generateKey()]
    const tokens = Array.from({ length: 1000 }, (_, i) => keys[i / 400]?.secret ?? mintSecret('emp_'))
    const answer = await report(world.url, github, reportOf(...tokens))
    expect(labelsOf(answer).flatMap((label, i) => (label === 'true_positive' ? [i] : []))).toEqual([0, 400, 800])
    for (const { secret } of keys) expect(await world.accepts(secret)).toBe(false)
    expect([await leakEvents(acme), await leakEvents(other), await emailsOf(acme)].map((each) => each.length)).toEqual([
      2, 1, 1,
    ])
  })
})

describe('a report that is not as it should be', () => {
  const inNoWay = async (world: World, secret: string, acme: TestOrganization) => {
    expect(await world.accepts(secret)).toBe(true)
    expect(await leakEvents(acme)).toEqual([])
  }
  const of = (secret: string) => ({ body: reportOf(secret), signature: signatureOf(github, reportOf(secret)) })

  it.for<[string, (secret: string) => Parameters<typeof report>[3]]>([
    ['signed by another key under a known identifier', (s) => ({ signature: signatureOf(stranger, reportOf(s)) })],
    ['signed on another curve', (s) => ({ identifier: 'p384', signature: signatureOf(otherCurve, reportOf(s)) })],
    ['with the identifier of another key', () => ({ identifier: 'p384' })],
    ['with an unknown identifier', () => ({ identifier: 'nobody' })],
    ['with a signature of another body', () => ({ signature: signatureOf(github, reportOf('x')) })],
    ['cut', (s) => ({ ...of(s), body: reportOf(s).slice(0, -1) })],
    ['with one more byte', (s) => ({ ...of(s), body: `${reportOf(s)} ` })],
    ['written in another way', (s) => ({ ...of(s), body: JSON.stringify(JSON.parse(reportOf(s)), null, 1) })],
    ['with an empty signature', () => ({ signature: '' })],
    ['with a signature of garbage', () => ({ signature: Buffer.from('0000000000000000').toString('base64') })],
    ['with a signature of zeros', () => ({ signature: 'MAYCAQACAQA=' })],
    ['with a signature that is no base64', () => ({ signature: '!!!!!!!!!!!!' })],
    ['with more behind the signature', (s) => ({ signature: `${of(s).signature}AAAA` })],
    ['with two signatures', (s) => ({ signature: `${of(s).signature}, ${of(s).signature}` })],
    ['with two identifiers', () => ({ identifier: 'github-1, github-1' })],
    ['without an identifier', () => ({ identifier: '' })],
    ['empty', () => ({ body: '' })],
  ])('does nothing: %s', async ([_how, given], { world, acme, key }) => {
    expect(await report(world.url, github, reportOf(key.secret), given(key.secret))).toMatchObject(REFUSED)
    await inNoWay(world, key.secret, acme)
  })

  it('gets the same answer whatever it says, so it tells nothing about a key', async ({ world, key }) => {
    const bodies = [reportOf(key.secret), reportOf(mintSecret('emp_')), 'no JSON', '', '{}']
    const answers = await Promise.all(
      bodies.map(async (body) => {
        const { status, body: said } = await report(world.url, stranger, body)
        return JSON.stringify({ status, said }).replace(/"requestId":"[^"]+"/, '')
      }),
    )
    expect(new Set(answers).size).toBe(1)
  })

  it('does nothing with a header that is sent twice', async ({ world, acme, key }) => {
    const body = reportOf(key.secret)
    const signature = `Github-Public-Key-Signature: ${signatureOf(github, body)}`
    const identifier = 'Github-Public-Key-Identifier: github-1'
    for (const headers of [
      [identifier, identifier, signature],
      [identifier, signature, signature],
    ])
      expect(await raw(world, [...headers, `Content-Length: ${body.length}`], body)).toContain(' 401 ')
    await inNoWay(world, key.secret, acme)
    expect(await raw(world, [identifier, signature, `Content-Length: ${body.length}`], body)).toContain(' 200 ')
  })

  it('does nothing when the connection ends before the body', async ({ world, acme, key }) => {
    const body = reportOf(key.secret)
    const headers = [
      'Github-Public-Key-Identifier: github-1',
      `Github-Public-Key-Signature: ${signatureOf(github, body)}`,
      `Content-Length: ${body.length}`,
    ]
    await raw(world, headers, body.slice(0, -1), { end: true })
    await inNoWay(world, key.secret, acme)
  })

  it.for<[string, string, number]>([
    ['no JSON', 'no', 400],
    ['no list', '{"token":"x"}', 400],
    ['null', 'null', 400],
    ['too many entries', JSON.stringify(Array(1001).fill({ token: 'x' })), 413],
    ['too many bytes', `[${' '.repeat(512 * 1024)}]`, 413],
  ])('a verified sender is told what is wrong: %s', async ([_what, body, status], { world }) => {
    const answer = await report(world.url, github, body)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ errors: [{ message: expect.stringMatching(/list|entries|large/) }] })
  })

  it('revokes what it can of a report with odd entries', async ({ world, key }) => {
    const odd = [null, 1, 'x', [], {}, { token: 1 }, { token: '' }, { token: 'y'.repeat(5000) }, { token: {}, url: [] }]
    const good = { token: key.secret, type: 5, url: { a: 1 }, source: null }
    const answer = await report(world.url, github, JSON.stringify([...odd, good]))
    expect(answer.body).toMatchObject([{ token_type: '', label: 'true_positive' }])
    expect(await world.accepts(key.secret)).toBe(false)
  })

  it('is no place for other methods', async ({ world }) => {
    for (const method of ['GET', 'PUT']) expect((await fetch(`${world.url}/leaks`, { method })).status).toBe(405)
  })
})

/** What a client gets that writes its request by hand. */
async function raw(world: World, headers: string[], body: string, { end = false } = {}): Promise<string> {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  const head = ['POST /leaks HTTP/1.1', `Host: ${hostname}`, 'Connection: close', 'Content-Type: application/json']
  socket.write(`${[...head, ...headers].join('\r\n')}\r\n\r\n${body}`)
  if (end) socket.end()
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}
