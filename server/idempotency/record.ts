import { actorOf, callerNow } from '../ctx.ts'
import { isOverBudget } from '../db/byte-budgets.ts'
import type { OldRows } from '../db/delete-in-steps.ts'
import { inSavepoint } from '../db/savepoint.ts'
import { ALL_PERIODS, countStored, hourOf } from '../db/stored-bytes.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import type { Answer } from '../graphql/whole-mutation.ts'
import type { RootCall } from '../key-access.ts'
import { AppError } from '../lib/app-error.ts'
import { DAY } from '../lib/clock.ts'
import { firstIdAt, newId } from '../lib/id.ts'
import { includesRights, type Rights, rightsOf } from './rights.ts'
import type { IdempotencyValue } from './value.ts'

export const RECORD_LIFETIME_MS = DAY
const MAX_ANSWER_CHARACTERS = 1024 * 1024
/** Of ids, times and hashes, with their indexes. */
const ROW_BYTES = 400

/** A request with an Idempotency-Key: whose it is, and what it asks for. */
export interface KeyedRequest {
  callerId: string
  value: IdempotencyValue
  /** Everything that has to be the same when it is sent again. */
  body: string
}

/** What is encrypted. */
interface Recorded extends Answer {
  rights: Rights
}

/**
 * The recorded answer to the same request; undefined if there is none, or none any more. The caller is authorized again:
 * whoever has lost a right since then does not get the answer.
 */
export async function earlierAnswer(
  ctx: RequestCtx,
  request: KeyedRequest,
  rootCall: () => RootCall,
): Promise<Answer | undefined> {
  const { callerId, value, body } = request
  const record = await ctx.db
    .selectFrom('idempotencyRecord')
    .select(['bodyHash', 'answer', 'expiresAt'])
    .where('callerId', '=', callerId)
    .where('valueHash', '=', value.hash)
    .executeTakeFirst()
  if (!record || record.expiresAt <= ctx.now()) return undefined
  if (!value.hashOf(body).equals(record.bodyHash)) throw otherRequest()
  const caller = await callerNow({ ...ctx, rootCall: rootCall() })
  const { rights, ...answer }: Recorded = JSON.parse(value.encryption.decrypt(record.answer, callerId))
  if (!includesRights(rightsOf(caller), rights)) throw fewerRights()
  return answer
}

/** Records the answer, in the transaction of what it answers. */
export async function recordAnswer(ctx: RequestCtx, request: KeyedRequest, answer: Answer): Promise<void> {
  const { callerId, value, body } = request
  const recorded: Recorded = { ...answer, rights: rightsOf(ctx.caller) }
  const text = JSON.stringify(recorded)
  if (text.length > MAX_ANSWER_CHARACTERS) throw tooLong()
  const now = ctx.now()
  const row = {
    id: newId(now),
    bodyHash: value.hashOf(body),
    answer: value.encryption.encrypt(text, callerId),
    expiresAt: now + RECORD_LIFETIME_MS,
  }
  await ctx.db
    .insertInto('idempotencyRecord')
    .values({ ...row, callerId, valueHash: value.hash })
    .onConflict((conflict) => conflict.columns(['callerId', 'valueHash']).doUpdateSet(row)) // one that has expired
    .execute()
  const bytes = ROW_BYTES + row.answer.length
  const counted = { organizationId: ctx.caller.organizationId, kind: 'answer_bytes', bytes } as const
  await countStored(ctx.db, { ...counted, period: ALL_PERIODS }, 'NORMAL')
  await countStored(ctx.db, { ...counted, period: hourOf(now) }, 'NORMAL')
  ctx.noteStored?.({ bytes, events: 0, eventBytes: 0 })
}

/** The same for a mutation that takes access away: it is done even if there is no room for its answer, and can be sent again. */
export const recordIfRoom = (ctx: RequestCtx, request: KeyedRequest, answer: Answer): Promise<void> =>
  inSavepoint(ctx.db, (db) => recordAnswer({ ...ctx, db }, request, answer)).catch((error) => {
    if (!isOverBudget(error)) throw error
  })

/** The same person in another organization is the same caller: what they send is another request. */
export const callerIdOf = ({ caller }: RequestCtx): string => actorOf(caller).id ?? ''

/** Records that have expired, for the background job that deletes them. */
export const expiredRecords = (now: number): OldRows => ({
  find: (db, after, limit) =>
    db
      .selectFrom('idempotencyRecord')
      .select('id')
      .where('id', '>', after)
      .where('id', '<', firstIdAt(now - RECORD_LIFETIME_MS))
      .orderBy('id')
      .limit(limit)
      .execute(),
  delete: (db, ids) => db.deleteFrom('idempotencyRecord').where('id', 'in', ids).where('expiresAt', '<=', now),
})

const otherRequest = () =>
  new AppError('CONFLICT', {
    message:
      'This Idempotency-Key was sent with another request: another document, operationName, variables, dryRun or organization. Nothing was done: use a new one for a new request.',
    field: 'Idempotency-Key',
  })

const fewerRights = () =>
  new AppError('FORBIDDEN', {
    message: 'This was done before, when you were allowed more than now: its answer is not shown again.',
  })

const tooLong = () =>
  new AppError('LIMIT_EXCEEDED', {
    message: `With an Idempotency-Key an answer has at most ${MAX_ANSWER_CHARACTERS} characters. Nothing was done: ask for fewer fields, or send fewer items.`,
  })
