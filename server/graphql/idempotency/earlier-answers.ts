import { actorOf, callerNow } from '../../caller/ctx.ts'
import type { FieldCall } from '../../caller/key-rules.ts'
import { isOverBudget } from '../../db/byte-budgets.ts'
import type { OldRows } from '../../db/delete-in-steps.ts'
import { ALL_PERIODS, countStored, hourOf } from '../../db/stored-bytes.ts'
import { AppError } from '../../lib/app-error.ts'
import { DAY } from '../../lib/clock.ts'
import { firstIdAt, newId } from '../../lib/id.ts'
import type { RequestCtx } from '../builder.ts'
import type { Answer, MutationCtx } from '../mutation-transaction.ts'
import type { KeyedRequest } from './keyed-request.ts'
import { includesRights, type Rights, rightsOf } from './rights.ts'

export const RECORD_LIFETIME_MS = DAY
const MAX_ANSWER_CHARACTERS = 1024 * 1024
/** What ids, times and hashes take, with their indexes. */
const ROW_BYTES = 400

/** What is encrypted. */
interface Recorded extends Answer {
  rights: Rights
}

interface Repeated {
  /** For the access of the caller, which is checked again. */
  rootCall(): FieldCall
  /** Whether it takes access away: then it is rather done twice than not at all. */
  endsAccess: boolean
}

/** The recorded answer to the same request, if any. The caller is authorized again: whoever has lost a right does not get it. */
export async function earlierAnswer(
  ctx: MutationCtx,
  request: KeyedRequest,
  { rootCall, endsAccess }: Repeated,
): Promise<Answer | undefined> {
  const { callerId, valueHash, bodyHash, hashesOfSecret } = request
  const valid = ctx.db
    .selectFrom('idempotencyRecord')
    .where('callerId', '=', callerId)
    .where('expiresAt', '>', ctx.now())
    .limit(1)
  const [record, ...ofOtherSecrets] = await Promise.all([
    valid.select(['bodyHash', 'answer']).where('valueHash', '=', valueHash).executeTakeFirst(),
    valid.select('id').where('valueHash', '<', hashesOfSecret.first).executeTakeFirst(),
    valid.select('id').where('valueHash', '>', hashesOfSecret.last).executeTakeFirst(),
  ])
  if (!record) {
    if (!endsAccess && ofOtherSecrets.some(Boolean)) throw undecryptable() // it may be one of these
    return undefined
  }
  if (!bodyHash.equals(record.bodyHash)) throw otherRequest()
  const caller = await callerNow({ ...ctx, rootCall: rootCall() })
  const { rights, ...answer } = decrypted(request, record.answer)
  if (!includesRights(rightsOf(caller), rights)) throw fewerRights()
  return answer
}

const contextOf = ({ valueHash }: KeyedRequest) => valueHash.toString('hex')

function decrypted(request: KeyedRequest, answer: string): Recorded {
  try {
    return JSON.parse(request.encryption.decrypt(answer, contextOf(request)))
  } catch (error) {
    throw undecryptable(error)
  }
}

/** Records the answer, in the transaction of what it answers. */
export async function recordAnswer(ctx: MutationCtx, request: KeyedRequest, answer: Answer): Promise<void> {
  const { callerId, valueHash, bodyHash, encryption } = request
  const recorded: Recorded = { ...answer, rights: rightsOf(ctx.caller) }
  const text = JSON.stringify(recorded)
  if (text.length > MAX_ANSWER_CHARACTERS) throw tooLong()
  const now = ctx.now()
  const row = {
    id: newId(now),
    bodyHash,
    answer: encryption.encrypt(text, contextOf(request)),
    expiresAt: now + RECORD_LIFETIME_MS,
  }
  await ctx.db
    .insertInto('idempotencyRecord')
    .values({ ...row, callerId, valueHash })
    .onConflict((conflict) => conflict.columns(['callerId', 'valueHash']).doUpdateSet(row)) // one that has expired
    .execute()
  const bytes = ROW_BYTES + row.answer.length
  const counted = { organizationId: ctx.caller.organizationId, kind: 'answer_bytes', bytes } as const
  await countStored(ctx.db, { ...counted, period: ALL_PERIODS }, 'NORMAL')
  await countStored(ctx.db, { ...counted, period: hourOf(now) }, 'NORMAL')
  ctx.noteStored?.({ bytes, events: 0, eventBytes: 0 })
}

/** Records the answer to a mutation that takes access away: without room for it, that is done all the same, and again if it is sent again. */
export const recordIfRoom = (ctx: MutationCtx, request: KeyedRequest, answer: Answer): Promise<void> =>
  ctx.db
    .inSavepoint(() => recordAnswer(ctx, request, answer))
    .catch((error) => {
      if (!isOverBudget(error)) throw error
    })

/** A person is one caller in all of their organizations: what they send in another one is another request. */
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

const undecryptable = (cause?: unknown) =>
  new AppError('CONFLICT', {
    message:
      'It is not known whether this was done before: an answer that was recorded for you in the last 24 hours cannot be decrypted, because PORTAL_SECRET has changed. Nothing was done now: check, and send it without an Idempotency-Key.',
    field: 'Idempotency-Key',
    cause,
  })

const fewerRights = () =>
  new AppError('FORBIDDEN', {
    message: 'This was done before, when you were allowed more than now: its answer is not shown again.',
  })

const tooLong = () =>
  new AppError('LIMIT_EXCEEDED', {
    message: `With an Idempotency-Key an answer has at most ${MAX_ANSWER_CHARACTERS} characters. Nothing was done: ask for fewer fields, or send fewer items.`,
  })
