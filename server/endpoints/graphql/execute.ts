import type { IncomingHttpHeaders } from 'node:http'
import type { FormattedExecutionResult } from 'graphql'
import type { Stored } from '../../caller/ctx.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { pointsForStored } from '../../graphql/cost.ts'
import { createRunWithOptions } from '../../graphql/idempotency/run-with-options.ts'
import { readMutationOptions } from '../../graphql/mutation-options.ts'
import { runOperation } from '../../graphql/run-operation.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Log } from '../../lib/log.ts'
import { pointsForEvents } from '../../webhooks/points.ts'
import { charge, type FoundOperation } from './operation.ts'

/** `headers`: the Idempotency-Key among them makes a mutation safe to retry. */
export type ExecuteOperation = (
  found: FoundOperation,
  ctx: RequestCtx,
  headers: IncomingHttpHeaders,
) => Promise<FormattedExecutionResult>

/** Runs operations. A mutation is charged for what it has stored, a dry run for what it would have. */
export function createExecution(log: Log, portalSecret: () => string): ExecuteOperation {
  const runWithOptions = createRunWithOptions(portalSecret)

  return function execute({ operation, variables, request }, ctx, headers) {
    const mayHaveOptions = headers['idempotency-key'] !== undefined || request.extensions != null
    const options = mayHaveOptions ? readMutationOptions(headers, request.extensions) : undefined
    if (operation.node.operation !== 'mutation' && !options) return runOperation(operation, ctx, variables, log)
    return chargedForStored(ctx, () =>
      options
        ? runWithOptions({ operation, variables, sent: request, ctx, log }, options)
        : runOperation(operation, ctx, variables, log),
    )
  }
}

async function chargedForStored<Result>(ctx: RequestCtx, run: () => Promise<Result>): Promise<Result> {
  const stored: Stored = { bytes: 0, events: 0, eventBytes: 0 }
  ctx.noteStored = ({ bytes, events, eventBytes }) => {
    stored.bytes += bytes
    stored.events += events
    stored.eventBytes += eventBytes
  }
  try {
    return await run()
  } finally {
    if (ctx.charge) await chargeForStored(ctx, stored)
  }
}

/** The change stays done: if too few points are left, the requests after it are refused. */
async function chargeForStored(ctx: RequestCtx, stored: Stored): Promise<void> {
  try {
    const ofEvents = await pointsForEvents(ctx.reads, ctx.caller.organizationId, stored)
    await charge(ctx, pointsForStored(stored.bytes) + ofEvents)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
