import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../../support/postgres/postgres-server.ts'
import { runPortal, startPortal, temporaryFolder } from '../../support/process/portal-process.ts'
import { PORTAL_PROGRAM } from '../../support/process/portal-program.ts'
import { byKey, dataOf, type KeyedAnswer, newHeader, type Send } from '../../support/world/keyed-calls.ts'
import { PORTAL_SECRET } from '../../support/world/storage.ts'

/*
 * A portal is killed before each step that a mutation with an Idempotency-Key takes, one after the other. Whoever sends the
 * same again gets the one answer, and it was done once.
 */

type Env = Record<string, string>

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough passphrase', ORGANIZATION: 'Acme' }
const KILLER = fileURLToPath(import.meta.resolve('../../support/process/kill-at-step.ts'))
const MOST_STEPS = 60
const MINUTES = 60_000

const GENERATE = `mutation ($label: String!) {
  generateApiKey(input: { label: $label, access: DEVICES }) { secret apiKey { id label } }
}`
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids durable } }'
const LABELS = '{ apiKeys(first: 100) { data { id label } } }'
const EVENTS = '{ auditEvents(first: 100) { data { action subject } } }'

/** One mutation of a kind for each step, and what has to hold once it was answered. */
interface Kind {
  prepare(send: Send, step: number): Promise<Parameters<Send>[0]>
  judge(send: Send, answer: KeyedAnswer, step: number): Promise<void>
}

const label = (step: number) => `key-${step}-`

async function eventsOf(send: Send, action: string, step: number): Promise<number> {
  const { data } = dataOf<{ data: { action: string; subject: string }[] }>(await send({ query: EVENTS }))
  return data.filter((event) => event.action === action && event.subject === label(step)).length
}

const generating: Kind = {
  prepare: async (_send, step) => ({ query: GENERATE, variables: { label: label(step) } }),
  async judge(send, answer, step) {
    const { data: keys } = dataOf<{ data: { label: string }[] }>(await send({ query: LABELS }))
    expect(keys.filter((key) => key.label === label(step))).toHaveLength(1)
    expect(await eventsOf(send, 'API_KEY_GENERATED', step)).toBe(1)
    const { secret } = dataOf<{ secret: string }>(answer)
    const asNewKey = await send({ query: '{ viewer { apiKey { label } } }' }, { 'api-secret': secret })
    expect(asNewKey.body.data).toEqual({ viewer: { apiKey: { label: label(step) } } })
  },
}

const revoking: Kind = {
  async prepare(send, step) {
    const made = await send({ query: GENERATE, variables: { label: label(step) } })
    const { apiKey } = dataOf<{ apiKey: { id: string } }>(made)
    return { query: REVOKE, variables: { id: apiKey.id } }
  },
  async judge(send, answer, step) {
    expect(dataOf<object>(answer)).toEqual({ ids: [expect.any(String)], durable: true })
    expect(await eventsOf(send, 'API_KEY_REVOKED', step)).toBe(1)
  },
}

/** Returns how often it was killed before it got an answer. */
async function killAtEveryStep(dataDir: string, env: Env, kind: Kind): Promise<number> {
  const made = await runPortal(['key', 'generate', '--org', 'acme', '--label', 'ci', '--json'], {
    env: { DATA_DIR: dataDir, ...env },
  })
  const { secret } = JSON.parse(made.stdout) as { secret: string } // as the command prints it
  let before: { request: Parameters<Send>[0]; headers: Record<string, string>; first?: KeyedAnswer } | undefined
  for (let step = 1; step <= MOST_STEPS; step++) {
    const entry = ['--import', KILLER, PORTAL_PROGRAM, 'serve']
    const portal = await startPortal(dataDir, { entry, env: { ...env, KILL_AT: String(step) } })
    const send = byKey(portal, secret)
    if (before) {
      const { request, headers, first } = before
      const answer = await send(request, headers)
      expect(answer.body.errors).toBeUndefined()
      if (first) expect(answer.text).toBe(first.text)
      expect((await send(request, headers)).text).toBe(answer.text)
      await kind.judge(send, answer, step - 1)
      if (first) return step - 2
    }
    const [request, headers] = [await kind.prepare(send, step), newHeader()]
    portal.send('SIGUSR2')
    await expect.poll(portal.stderr).toContain('armed')
    const first = await send(request, headers).catch(() => undefined)
    if (!first) await portal.ended
    else await portal.stop('SIGKILL')
    before = { request, headers, ...(first && { first }) }
  }
  throw new Error(`It takes more than ${MOST_STEPS} steps.`)
}

const onSqlite = async (): Promise<Env> => ({})

async function onPostgres(): Promise<Env> {
  const server = await startPostgres({ durable: true })
  onTestFinished(() => server.close())
  const url = await server.createDatabase('portal')
  return { DATABASE_URL: url, PORTAL_SECRET, LEDGER: join(temporaryFolder(), 'revoked.db') }
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const)('killed before every step, on %s', (_name, prepare) => {
  it.each([
    ['generateApiKey', generating],
    ['revokeApiKey', revoking],
  ] as const)('%s is done once, and has one answer', { timeout: 10 * MINUTES }, async (_field, kind) => {
    const env = await prepare()
    const dataDir = temporaryFolder()
    const first = await startPortal(dataDir, { env: { ...env, ...ADMIN } })
    await first.stop()
    expect(await killAtEveryStep(dataDir, env, kind)).toBeGreaterThan(8)
  })
})
