import { NOT_DURABLE } from '../../cli/revoking.ts'
import type { Client } from './client.ts'
import type { Operation } from './history.ts'
import type { Key, Recorder } from './operations.ts'
import { between, oneOf, type Random } from './random.ts'
import type { Replica } from './replica.ts'
import type { SqlitePortal } from './sqlite-portal.ts'

const OVERLAP_SECONDS = 1
/** The clock of the portal counts whole milliseconds. */
const EXACT_TO_MS = 5
const KILLED_AFTER_MS: [number, number] = [300, 3000]

interface Ending {
  query: string
  variables(id: string): object
  /** How long the key still works afterwards. */
  overlapMs: number
}

const ONE = (id: string) => ({ id })
const REVOKE: Ending = {
  query: 'mutation ($id: ID!) { ended: revokeApiKey(id: $id) { durable } }',
  variables: ONE,
  overlapMs: 0,
}
const rotation = (seconds: number): Ending => ({
  query: `mutation ($id: ID!) { ended: rotateApiKey(id: $id, overlapSeconds: ${seconds}) { apiKey { id } } }`,
  variables: ONE,
  overlapMs: seconds * 1000,
})
const ENDINGS: readonly Ending[] = [
  REVOKE,
  {
    query: 'mutation ($ids: [ID!]) { ended: revokeApiKeys(input: { ids: $ids }) { durable } }',
    variables: (id) => ({ ids: [id] }),
    overlapMs: 0,
  },
  rotation(0),
  rotation(OVERLAP_SECONDS),
]

/** Answers to a call with a key that a rotation has made expire, or while revocations are missing. */
export const ALSO = {
  '401 API_KEY_EXPIRED': 'refused',
  '403 KEYS_HELD': 'unknown',
  '200 KEYS_HELD': 'unknown',
} as const

const begin = ({ history }: Recorder, { id }: Key): Operation => {
  const operation: Operation = {
    key: id,
    kind: 'revoke',
    start: performance.now(),
    end: Number.POSITIVE_INFINITY,
    answer: 'unknown',
  }
  history.push(operation)
  return operation
}

/** Ends a key in any of the ways, and says whether that is certain; the second time plainly. */
export async function endKey(
  { client, record, random }: { client: Client<Replica>; record: Recorder; random: Random },
  to: Replica,
  key: Key,
  isAgain: boolean,
): Promise<boolean> {
  const { query, variables, overlapMs } = isAgain ? REVOKE : oneOf(random, ENDINGS)
  const operation = begin(record, key)
  const request = { secret: key.owner.secret, query, variables: variables(key.id) }
  const { verdict, data } = await client.send(to, { ...request, also: { ...ALSO, '200 NOT_FOUND': 'refused' } })
  const { ended } = (data ?? {}) as { ended?: { durable?: boolean } | null } // as the queries ask for it
  const isPromised = verdict !== 'accepted' || ended?.durable !== false
  operation.end = performance.now() + (overlapMs > 0 ? overlapMs + EXACT_TO_MS : 0)
  operation.answer = isPromised ? verdict : 'unknown'
  return operation.answer !== 'unknown'
}

/** Ends a key by the command line, beside the server; now and then the command is killed meanwhile. */
export async function endByCommand(portal: SqlitePortal, record: Recorder, random: Random, key: Key): Promise<boolean> {
  const operation = begin(record, key)
  const signal = random() < 0.3 ? AbortSignal.timeout(between(random, ...KILLED_AFTER_MS)) : undefined
  const printed = await portal.command(['key', 'revoke', key.id, '--yes'], signal)
  const isPromised = printed !== undefined && !printed.includes(NOT_DURABLE)
  operation.end = performance.now()
  operation.answer = isPromised ? 'accepted' : 'unknown'
  return isPromised
}
