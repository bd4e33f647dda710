import type { FormattedExecutionResult } from 'graphql'
import type { TransactionCtx } from '../caller/ctx.ts'
import type { Database } from '../db/database.ts'
import { type InsideTransaction, insideTransaction } from '../db/inside-transaction.ts'
import { AppError } from '../lib/app-error.ts'
import type { Log } from '../lib/log.ts'
import { within } from '../lib/within.ts'
import type { RequestCtx } from './builder.ts'
import { endsAccess, type MutationField } from './mutation-options.ts'
import { OPERATION_TIMEOUT_MS } from './operation-limits.ts'
import type { Variables } from './page-arguments.ts'
import type { Operation } from './prepared-operations.ts'
import { lateMutation, runOperation } from './run-operation.ts'

export interface Mutation {
  operation: Operation
  /** Its root fields, as the schema defines them. */
  fields: readonly MutationField[]
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

/** A request of which everything is read and written in one transaction. */
export type MutationCtx = RequestCtx & TransactionCtx

interface Steps {
  isDryRun: boolean
  /** In the same transaction before the mutation: an answer in place of running it. */
  before(ctx: MutationCtx): Promise<Answer | undefined>
  /** In the same transaction after it, unless that is rolled back. */
  after(ctx: MutationCtx, answer: Answer): Promise<void>
}

/** Runs a mutation and all that its answer reads in one transaction: rolled back if it is a dry run, or if all of it has failed. */
export function runInOneTransaction(mutation: Mutation, steps: Steps): Promise<FormattedExecutionResult> {
  return within(OPERATION_TIMEOUT_MS, transact(mutation, steps), lateMutation)
}

async function transact(mutation: Mutation, steps: Steps): Promise<FormattedExecutionResult> {
  const { ctx, fields } = mutation
  const { organizationId } = ctx.caller
  let inside: InsideTransaction | undefined
  const usesReserve = !steps.isDryRun && fields.some(endsAccess) ? 'revoke' : undefined
  try {
    const { result, endsAny, isEarlier } = await ctx.database.transaction(
      (db) => {
        inside = insideTransaction(ctx.database, db)
        return runInside(inside, mutation, steps)
      },
      { organizationId, usesReserve },
    )
    if (isEarlier && endsAny) await requireOnRecord(ctx.database)
    else if (inside?.isToBeSettled) await ctx.database.settleRevocations()
    if (inside?.db.revokes && inside.db.receipt.durable !== ctx.database.logsDurably) throw notOnRecord()
    return result
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    if (inside?.isToBeSettled && !steps.isDryRun) await ctx.database.settleRevocations()
    return error.result
  }
}

async function runInside(
  { db, database, requireSound }: InsideTransaction,
  { operation, variables, log, ctx: outer }: Mutation,
  { before, after, isDryRun }: Steps,
): Promise<Answer & { isEarlier: boolean }> {
  const ctx: MutationCtx = { ...outer, db, reads: db, database, loaders: new Map() }
  const earlier = await before(ctx)
  if (earlier) return { ...earlier, isEarlier: true }
  const result = await runOperation(operation, ctx, variables, log, { isLimited: false })
  if (ctx.refusals) outer.refusals = ctx.refusals
  requireSound()
  if (isDryRun || hasFailed(result)) throw new RolledBack(result)
  const answer = { result, endsAny: db.revokes }
  await after(ctx, answer)
  return { ...answer, isEarlier: false }
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
