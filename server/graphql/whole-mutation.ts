import type { FormattedExecutionResult } from 'graphql'
import type { Database } from '../db/database.ts'
import { insideTransaction } from '../db/inside-transaction.ts'
import { endedBy } from '../db/revocations.ts'
import type { Db } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { Log } from '../lib/log.ts'
import type { RequestCtx } from './builder.ts'
import { runOperation, withinTimeOfMutation } from './execute.ts'
import { endsAccess } from './mutation-support.ts'
import type { Operation } from './operation.ts'
import type { Variables } from './page-arguments.ts'

export interface Mutation {
  operation: Operation
  /** The names of its root fields. */
  fields: readonly string[]
  variables: Variables
  ctx: RequestCtx
  log: Log
}

/** The answer to a mutation, before its transaction ends. */
export interface Answer {
  result: FormattedExecutionResult
  /** Whether it has revoked anything: then the ledger has to have that too before anybody reads the answer. */
  endsAny: boolean
}

interface Steps {
  isDryRun: boolean
  /** In the same transaction before the mutation: an answer in place of running it. */
  before(ctx: RequestCtx): Promise<Answer | undefined>
  /** In the same transaction after it, unless that is rolled back. */
  after(ctx: RequestCtx, answer: Answer): Promise<void>
}

/**
 * Runs a mutation, and everything that its answer reads, in one transaction. It is rolled back if it is a dry run, or if
 * all of the mutation has failed.
 */
export function runWhole(mutation: Mutation, steps: Steps): Promise<FormattedExecutionResult> {
  return withinTimeOfMutation(transact(mutation, steps))
}

async function transact(mutation: Mutation, steps: Steps): Promise<FormattedExecutionResult> {
  const { ctx, fields } = mutation
  const { organizationId } = ctx.caller
  let attempt: Attempt | undefined
  const usesReserve = !steps.isDryRun && fields.some(endsAccess) ? 'revoke' : undefined
  try {
    const { result, endsAny, isEarlier } = await ctx.database.transaction(
      (db) => {
        attempt = beginIn(db, ctx)
        return attempt.run(mutation, steps)
      },
      { organizationId, usesReserve },
    )
    if (isEarlier && endsAny) await requireOnRecord(ctx.database)
    else if (attempt?.isToBeSettled()) await ctx.database.settleRevocations()
    if (attempt && !endedBy(attempt.db).asAssumed) throw notOnRecord()
    return result
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    if (attempt?.isToBeSettled() && !steps.isDryRun) await ctx.database.settleRevocations()
    return error.result
  }
}

interface Attempt {
  db: Db
  isToBeSettled(): boolean
  run(mutation: Mutation, steps: Steps): Promise<Answer & { isEarlier: boolean }>
}

function beginIn(db: Db, outer: RequestCtx): Attempt {
  const inside = insideTransaction(outer.database, db)
  const ctx: RequestCtx = { ...outer, db, database: inside.database }
  return {
    db,
    isToBeSettled: () => inside.isToBeSettled,
    async run({ operation, variables, log }, { before, after, isDryRun }) {
      const earlier = await before(ctx)
      if (earlier) return { ...earlier, isEarlier: true }
      const result = await runOperation(operation, ctx, variables, log, { isLimited: false })
      if (ctx.refusals) outer.refusals = ctx.refusals
      inside.requireSound()
      if (isDryRun || hasFailed(result)) throw new RolledBack(result)
      const answer = { result, endsAny: endedBy(db).any }
      await after(ctx, answer)
      return { ...answer, isEarlier: false }
    },
  }
}

/** Ends a transaction without a commit. */
class RolledBack extends Error {
  readonly result: FormattedExecutionResult

  constructor(result: FormattedExecutionResult) {
    super('rolled back')
    this.result = result
  }
}

/** Whether nothing of it is done: a field that fails is null, and has an error. */
const hasFailed = ({ data, errors }: FormattedExecutionResult): boolean =>
  errors !== undefined && Object.values(data ?? {}).every((answer) => answer === null)

/** The process that has committed this may have been killed before it wrote to the ledger. */
async function requireOnRecord(database: Database): Promise<void> {
  if (!(await database.settleRevocations()) && database.logsDurably) throw notOnRecord()
}

const notOnRecord = () =>
  new AppError('UNAVAILABLE', {
    message:
      'It is revoked, and this is not yet on record outside of the database. Send the same request again: its answer says when it is.',
    retryAfterSeconds: 1,
    cause: new Error('The ledger could not be written.'),
  })
