import { expect, it } from 'vitest'
import { call } from '../support/http.ts'
import { fieldOf } from '../support/people.ts'
import { startDemo, startPortal, temporaryFolder } from '../support/portal-process.ts'

const ROUNDS = 12
const CLIENTS = 8
const KEPT_BY_A_CLIENT = 5

const GENERATE = 'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret apiKey { id } } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'

/** A key as its client knows it: what was asked last, and whether that was answered. */
interface Known {
  id: string
  secret: string
  state: 'generated' | 'being revoked' | 'revoked'
}

it('K9, K10: kill -9 loses no answered generate and brings no revoked key back, 12 times over', async () => {
  const folder = temporaryFolder()
  const demo = await startDemo(folder, { LOG_LEVEL: 'error' })
  await demo.stop()
  const known: Known[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const portal = await startPortal(folder, { env: { LOG_LEVEL: 'error' } })
    const url = `${portal.url}/graphql`
    await expectKnown(url, known)
    await settle(url, demo.secret, known)

    const before = known.length
    const killAfter = between(10, 80)
    const answered = await untilKilled(url, demo.secret, known, (answers) => {
      if (answers === killAfter) setTimeout(() => portal.send('SIGKILL'), between(0, 10))
    })
    expect(await portal.ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(answered).toBeGreaterThanOrEqual(killAfter)
    expect(known.length).toBeGreaterThan(before)
  }
  const last = await startPortal(folder, { env: { LOG_LEVEL: 'error' } })
  await expectKnown(`${last.url}/graphql`, known)
  expect(new Set(known.map(({ state }) => state))).toContain('revoked')
})

/** Clients that generate and revoke until nobody answers any more; gives the number of answers. */
async function untilKilled(url: string, secret: string, known: Known[], onAnswer: (answers: number) => void) {
  let answers = 0
  const ask = async <Field>(query: string, variables: object): Promise<Field> => {
    const field = fieldOf<Field>(await call(url, { 'api-secret': secret }, query, variables))
    onAnswer(++answers)
    return field
  }
  const client = async () => {
    const own: Known[] = []
    for (;;) {
      const { secret, apiKey } = await ask<{ secret: string; apiKey: { id: string } }>(GENERATE, {})
      const key: Known = { id: apiKey.id, secret, state: 'generated' }
      known.push(key)
      own.push(key)
      if (own.length < between(1, KEPT_BY_A_CLIENT)) continue
      const [victim = key] = own.splice(between(0, own.length - 1), 1)
      victim.state = 'being revoked'
      await ask(REVOKE, { id: victim.id })
      victim.state = 'revoked'
    }
  }
  const endings = await Promise.allSettled(Array.from({ length: CLIENTS }, client))
  for (const ending of endings) if (ending.status === 'rejected' && !wasCutOff(ending.reason)) throw ending.reason
  return answers
}

/** All keys of all rounds: every answered generate is accepted, every answered revoke is refused. */
async function expectKnown(url: string, known: Known[]): Promise<void> {
  const wrong: string[] = []
  const waiting = known.filter(({ state }) => state !== 'being revoked')
  const check = async () => {
    for (let key = waiting.pop(); key; key = waiting.pop()) {
      const { status } = await call(url, { 'api-secret': key.secret }, '{ viewer { role } }')
      if (status !== (key.state === 'generated' ? 200 : 401)) wrong.push(`${key.id} was ${key.state}, now ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, check))
  expect(wrong).toEqual([])
}

/** What was asked and not answered may have happened or not: ends both, and makes room for the next round. */
async function settle(url: string, secret: string, known: Known[]): Promise<void> {
  const list = await call(url, { 'api-secret': secret }, '{ apiKeys(first: 500) { data { id label } } }')
  const { data } = fieldOf<{ data: { id: string; label: string }[] }>(list)
  const kept = new Set(known.filter(({ state }) => state === 'generated').map(({ id }) => id))
  for (const { id, label } of data) {
    if (!kept.has(id) && label !== 'First key') await call(url, { 'api-secret': secret }, REVOKE, { id })
  }
  for (const key of known) {
    if (key.state === 'being revoked') key.state = 'revoked'
  }
  const excess = known.filter(({ state }) => state === 'generated').slice(0, -10)
  for (const key of excess) {
    fieldOf(await call(url, { 'api-secret': secret }, REVOKE, { id: key.id }))
    key.state = 'revoked'
  }
}

const wasCutOff = (error: unknown) => error instanceof TypeError // what fetch throws when the connection is gone

const between = (from: number, to: number) => from + Math.floor(Math.random() * (to - from + 1))
