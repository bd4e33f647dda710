import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { startDemo, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { codesOf, fieldOf } from '../support/world/people.ts'

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough passphrase', ORGANIZATION: 'Acme Edge' }
const LABELS = ['route', 'status', 'code', 'le', 'kind', 'space', 'type', 'version', 'major', 'minor', 'patch']

async function get(url: string) {
  const response = await fetch(url)
  return { status: response.status, body: await response.text(), headers: response.headers }
}

it('/health/ready is 503 while the database does not answer, and 200 afterwards; /health/live is always 200', async () => {
  const portal = await startPortal(temporaryFolder())
  const other = new DatabaseSync(join(portal.dataDir, 'portal.db'), { timeout: 5000 })
  const states = async () => [
    (await get(`${portal.url}/health/live`)).status,
    (await get(`${portal.url}/health/ready`)).status,
  ]
  expect(await states()).toEqual([200, 200])

  other.exec('alter table "migration" rename to "elsewhere"')
  expect(await states()).toEqual([200, 503])
  const { body, headers } = await get(`${portal.url}/health/ready`)
  expect(JSON.parse(body).errors[0].extensions.code).toBe('UNAVAILABLE')
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)

  other.exec('alter table "elsewhere" rename to "migration"')
  other.close()
  expect(await states()).toEqual([200, 200])
})

it('K10: when the database file is corrupted, every key gets 503, never a yes, and the process continues', async () => {
  const portal = await startDemo(temporaryFolder())
  const ask = portal.asKey(portal.secret)
  fieldOf(await ask('{ viewer { role } }'))

  for (const name of ['portal.db', 'portal.db-wal']) fillWithGarbage(join(portal.dataDir, name))
  await ask('mutation { createDevice(input: { name: "after" }) { id } }') // from here on nothing that is kept in memory will do
  for (let i = 0; i < 3; i++) {
    const refused = await ask('{ viewer { role } }')
    expect({ status: refused.status, codes: codesOf(refused) }).toEqual({ status: 503, codes: ['UNAVAILABLE'] })
  }
  expect((await get(`${portal.url}/health/ready`)).status).toBe(503)
  expect((await get(`${portal.url}/health/live`)).status).toBe(200)
})

it('/metrics is Prometheus text that names no organization, person or key, whatever is requested', async () => {
  const portal = await startPortal(temporaryFolder(), { env: ADMIN })
  const signedIn = await fetch(`${portal.url}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD }),
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const made = await portal.asSession(
    cookie,
    'acme-edge',
  )(
    'mutation { generateApiKey(input: { label: "ci-runner" }) { secret apiKey { id } } organization: updateOrganization(input: {}) { id } }',
  )
  const { generateApiKey: key, organization } = made.data as {
    generateApiKey: { secret: string; apiKey: { id: string } }
    organization: { id: string }
  }
  await portal.asKey(key.secret)('{ viewer { role } }')
  for (let i = 0; i < 20; i++) {
    await get(`${portal.url}/acme-edge/${key.apiKey.id}/${i}?email=ada@example.com`)
    await get(`${portal.url}/graphql?query=%7Bviewer%7Brole%7D%7D&api-secret=${key.secret}`)
  }

  const { body, headers } = await get(`${portal.url}/metrics`)
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = body.trimEnd().split('\n')
  const samples = lines.filter((line) => !line.startsWith('#') && line !== '')
  for (const line of samples) expect(line).toMatch(SAMPLE)
  for (const line of lines.filter((line) => line.startsWith('#')))
    expect(line).toMatch(/^# (HELP|TYPE) [a-z][a-z0-9_]* \S/)
  const labels = samples.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, name = '']) => name))
  expect([...new Set(labels)].filter((name) => !LABELS.includes(name))).toEqual([])
  const named = ['acme', key.secret, key.apiKey.id, organization.id, 'ci-runner', 'ada', cookie]
  expect(samples.filter((line) => named.some((name) => line.toLowerCase().includes(name.toLowerCase())))).toEqual([])
  const counts = samples.filter((line) => /^portal_http_requests_total/.test(line))
  expect(counts).toContain('portal_http_requests_total{route="/portal/graphql",status="200"} 1')
  expect(counts).toContain('portal_http_requests_total{route="/graphql",status="200"} 1')
  expect(counts).toContain('portal_http_requests_total{route="/graphql",status="401"} 20')
  expect(counts.filter((line) => line.endsWith(' 20'))).toHaveLength(2) // all other addresses are counted as one
})

const SAMPLE = /^[a-z][a-z0-9_]*(\{\w+="[^"\\]*"(,\w+="[^"\\]*")*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|\+Inf|NaN)$/

function fillWithGarbage(path: string): void {
  if (!existsSync(path)) return
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(statSync(path).size, 'garbage '))
  closeSync(file)
}
