import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished } from 'vitest'
import { mintSecret } from '../../server/secrets/secret.ts'
import { runInProcess, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'

const it = inWorld(startWithCommandLine)
  .extend('acme', { scope: 'file' }, ({ world, ada }) => world.organization('Acme Edge', { admin: ada }))
  .extend('portal', { scope: 'file' }, ({ world }) => world.portal)
  .extend('remote', { scope: 'file' }, ({ world, key }) => {
    const env = { API_SECRET: key.secret }
    return (args: string[], options: Parameters<typeof runInProcess>[1] = {}) =>
      runInProcess(['api', ...args, '--remote', world.url], { env, ...options })
  })

const DEVICES = '{ devices { data { name } } }'
const CREATE =
  'mutation ($name: String!, $on: Boolean) { createDevice(input: { name: $name, enabled: $on }) { name enabled } }'
const PAGES =
  'query ($after: String) { devices(first: 1, after: $after) { data { name } pageInfo { hasNextPage endCursor } } }'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-api-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('portal api --remote', () => {
  it('executes a document with the key, and prints the result', async ({ remote }) => {
    const made = await remote([CREATE, '-f', 'name=42', '-F', 'on=false'])
    expect(made).toEqual({
      code: 0,
      stdout: '{"data":{"createDevice":{"name":"42","enabled":false}}}\n',
      stderr: '',
    })
    expect(await remote([DEVICES])).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"42"') })
  })

  it('reads the document and the variables from files or from stdin', async ({ remote }) => {
    const folder = newFolder()
    const [file, variables] = [join(folder, 'q.graphql'), join(folder, 'v.json')]
    writeFileSync(file, 'query A($id: ID!) { device(id: $id) { id } } query B { viewer { role } }')
    writeFileSync(variables, '\uFEFF{ "name": "from file" }')
    const role = '{"data":{"viewer":{"role":"ADMIN"}}}\n'
    expect((await remote(['--file', file, '--operation-name', 'B'])).stdout).toBe(role)
    expect((await remote(['-'], { stdin: '{ viewer { role } }' })).stdout).toBe(role)
    expect((await remote([CREATE, '--variables', variables])).stdout).toContain('"from file"')
    expect((await remote([CREATE, '--variables', '-'], { stdin: '{"name":"piped"}' })).stdout).toContain('"piped"')
    expect((await remote([CREATE, '--variables', variables, '-f', 'name=over'])).stdout).toContain('"over"')
    const input = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { tags } }'
    expect((await remote([input, '-F', 'input={"name":"json","tags":["a"]}'])).stdout).toContain('"tags":["a"]')
  })

  it('follows the pages of a list, and prints each', async ({ remote, call }) => {
    for (const name of ['p1', 'p2'])
      await call('mutation ($n: String!) { createDevice(input: { name: $n }) { id } }', { n: name })
    const { code, stdout } = await remote([PAGES, '--paginate'])
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data.devices.data[0].name)
    expect(code).toBe(0)
    expect(names.length).toBeGreaterThanOrEqual(2)
    expect(new Set(names).size).toBe(names.length)
    expect(await remote([DEVICES, '--paginate'])).toMatchObject({ code: 2, stderr: expect.stringContaining('$after') })
    const without = 'query ($after: String) { devices(after: $after) { data { name } } }'
    expect(await remote([without, '--paginate'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pageInfo'),
    })
  })

  it('prints errors in words, with exit code 1, and the data that there is', async ({ remote }) => {
    const partial = await remote(['{ viewer { role } device(id: "no") { id } }'])
    expect(partial).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^device: It does not exist.* \(NOT_FOUND\)\n$/),
    })
    expect(JSON.parse(partial.stdout)).toMatchObject({ data: { viewer: { role: 'ADMIN' }, device: null } })
    const invalid = await remote(['{ gadgets }'])
    expect(invalid).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('GRAPHQL_VALIDATION_FAILED') })
    const json = await remote(['{ gadgets }', '--json'])
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'GRAPHQL_VALIDATION_FAILED' } })
  })

  it.for<[string, string[], Parameters<typeof runInProcess>[1]]>([
    ['no document', [], {}],
    ['two documents', [DEVICES, '--file', 'q.graphql'], {}],
    ['a missing file', ['--file', 'nowhere.graphql'], {}],
    ['a variable without a value', [DEVICES, '-F', 'name'], {}],
    ['a variable that is no JSON', [DEVICES, '-F', 'a={b'], {}],
    ['stdin twice', ['-', '--variables', '-'], {}],
    ['--org as well', [DEVICES, '--org', 'acme-edge'], {}],
    ['no secret, and stdin in use', ['-'], { env: {} }],
    ['what is no secret', [DEVICES], { env: { API_SECRET: 'hunter2' } }],
  ])('refuses %s as wrong usage', async ([_title, args, options], { remote }) => {
    const { code, stdout, stderr } = await remote(args, options)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/\.\n$/)
    expect(stderr).not.toContain('hunter2')
  })

  it('takes the secret from a file or from stdin, and the address from PORTAL_URL', async ({ world, key }) => {
    const file = join(newFolder(), 'secret')
    writeFileSync(file, `${key.secret}\n`)
    const run = (args: string[], options: Parameters<typeof runInProcess>[1]) =>
      runInProcess(['api', DEVICES, ...args], options)
    const answers = [
      await run(['--remote', world.url, '--secret-file', file], {}),
      await run(['--remote', `${world.url}/`], { env: { API_SECRET_FILE: file } }),
      await run(['--remote', `${world.url}/graphql`], { stdin: `${key.secret}\n` }),
      await run([], { env: { PORTAL_URL: world.url, API_SECRET: key.secret } }),
    ]
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  })

  it('K10: is refused once the key is revoked', async ({ world, acme }) => {
    const { id, secret } = await acme.generateKey({ label: 'soon gone' })
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
    const refused = await runInProcess(['api', DEVICES, '--remote', world.url], { env: { API_SECRET: secret } })
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('API_KEY_INVALID') })
  })
})

describe('portal api --org', () => {
  it('C9: asks the database of this machine as the operator', async ({ portal, acme }) => {
    const { code, stdout } = await portal.run(['api', '{ organization { slug } }', '--org', acme.slug])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `{"data":{"organization":{"slug":"${acme.slug}"}}}\n` })
    const made = await portal.run(['api', CREATE, '-f', 'name=by-operator', '--org', acme.slug])
    expect(made.code).toBe(0)
    const events = await acme.call(
      '{ auditEvents(filter: { action: DEVICE_CREATED }) { data { subject actor { kind } } } }',
    )
    expect(JSON.stringify(events.data)).toContain('{"subject":"by-operator","actor":{"kind":"SYSTEM"}}')
  })

  it('refuses what is for people, and a portal that is not named', async ({ portal, acme }) => {
    const person = await portal.run(['api', '{ sessions { id } }', '--org', acme.slug])
    expect(person).toMatchObject({ code: 1, stderr: expect.stringContaining('(FORBIDDEN)') })
    expect(await portal.run(['api', DEVICES])).toMatchObject({ code: 2, stderr: expect.stringContaining('--remote') })
    expect(await portal.run(['api', DEVICES, '--org', 'nowhere'])).toMatchObject({ code: 1 })
  })
})

/** A server that answers as it is told, and what it was sent. */
async function answering(...answers: ((response: ServerResponse) => void)[]) {
  const seen: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (request, response) => {
    seen.push({ headers: request.headers, body: await text(request) })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const done = (response: ServerResponse) => void response.end('{"data":{"ok":true}}')
const refused = (status: number, retryAfter: string) => (response: ServerResponse) =>
  void response
    .writeHead(status, { 'retry-after': retryAfter })
    .end('{"errors":[{"message":"Not now.","extensions":{"code":"RATE_LIMITED"}}]}')

describe('a portal that does not answer as it should', () => {
  const MUTATION = 'mutation { deleteDevice(id: "1") }'
  const send = async (url: string, document: string, ...more: string[]) => {
    const env = { API_SECRET: mintSecret('emp_') }
    return { ...(await runInProcess(['api', document, '--remote', url, ...more], { env })), secret: env.API_SECRET }
  }

  it.for(['{"data":null}', '{"errors":"x"}', '{"errors":[]}', '[1]', 'null', '<html>'])(
    'is no portal: %s',
    async (body) => {
      const { url } = await answering((response) => void response.end(body))
      const { code, stderr } = await send(url, DEVICES)
      expect([code, stderr]).toEqual([1, expect.stringContaining('There is no API of a portal at')])
    },
  )

  it.for([429, 503])('is asked again after %d, as often as it makes sense', async (status) => {
    const { url, seen } = await answering(refused(status, '0'), refused(status, '0'), done)
    expect(await send(url, DEVICES)).toMatchObject({ code: 0, stdout: '{"data":{"ok":true}}\n' })
    expect(seen).toHaveLength(3)
    const busy = await answering(refused(status, '0'))
    expect(await send(busy.url, DEVICES)).toMatchObject({ code: 1, stderr: 'Not now. (RATE_LIMITED)\n' })
    expect(busy.seen).toHaveLength(4)
    const long = await answering(refused(status, '3600'))
    expect((await send(long.url, DEVICES)).code).toBe(1)
    expect(long.seen).toHaveLength(1)
  })

  it('a write has an Idempotency-Key, the same for each attempt; a read has none', async () => {
    const { url, seen } = await answering(refused(503, '0'), done)
    expect((await send(url, MUTATION)).code).toBe(0)
    const [first, second, ...others] = seen.map(({ headers }) => headers['idempotency-key'])
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect([second, others]).toEqual([first, []])
    await send(url, DEVICES)
    expect(seen.at(-1)?.headers).not.toHaveProperty('idempotency-key')
    await send(url, MUTATION, '--idempotency-key', 'order-2026-11-18-1')
    expect(seen.at(-1)?.headers['idempotency-key']).toBe('order-2026-11-18-1')
    const sent = seen.length
    const bad = await send(url, MUTATION, '--idempotency-key', '数')
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('Idempotency-Key: 1 to 255') })
    expect(seen).toHaveLength(sent)
  })

  it('a write of several fields has no Idempotency-Key, and is not repeated after 503', async () => {
    const { url, seen } = await answering(refused(503, '0'))
    await send(url, 'mutation { a: deleteDevice(id: "1") b: deleteDevice(id: "2") }')
    expect(seen).toHaveLength(1)
    expect(seen[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  it('the secret follows no redirect', async () => {
    const elsewhere = await answering(done)
    const { url } = await answering((response) => void response.writeHead(307, { location: elsewhere.url }).end())
    expect(await send(url, DEVICES)).toMatchObject({ code: 1, stderr: expect.stringContaining('redirects') })
    expect(elsewhere.seen).toEqual([])
  })

  it('a page instead of an API, or nobody at all, is reported in words', async () => {
    const page = await answering((response) => void response.end('<html>'))
    expect(await send(page.url, DEVICES)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no API of a portal'),
    })
    const gone = await answering((response) => void response.destroy())
    const lost = await send(gone.url, MUTATION)
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('not known whether') })
    expect(lost.stderr).not.toContain(lost.secret)
  })

  it('an answer without an end is not read to the end', async () => {
    const endless = await answering((response) => {
      const chunk = Buffer.alloc(1 << 20, ' ')
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    })
    expect(await send(endless.url, DEVICES)).toMatchObject({
      code: 1,
      stderr: `${endless.url} answers with more than 64 MB, which is not read. Ask for fewer fields or smaller pages.\n`,
    })
    const { stderr } = await send(endless.url, MUTATION)
    expect(stderr).toMatch(/more than 64 MB.* It is not known whether this was done/)
  })

  it('a port that Node.js does not connect to is named', async () => {
    expect(await send('http://127.0.0.1:6000', MUTATION)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--remote: port 6000 belongs to another protocol/),
    })
  })

  it.for([
    'http://portal.example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'ftp://localhost',
    'portal',
    'https://ada:pw@localhost',
  ])('%s is refused before anything is sent', async (address) => {
    expect(await send(address, DEVICES)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--remote'),
    })
  })
})
