import { type NewEvent, recordEvents } from '../audit/audit-event.ts'
import { type Ctx, inTransaction, requireAdmin, type TransactionCtx } from '../caller/ctx.ts'
import { isUniqueViolation } from '../db/errors.ts'
import { AppError } from '../lib/app-error.ts'
import { partsOf } from '../lib/parts.ts'
import type { Device } from './stored-device.ts'

/** So many that a transaction takes a tenth of a second at most where all texts are as long as they may be. */
const ITEMS_OF_A_PART = 50

export type Outcome = Device | AppError

/** An item whose input is valid, by its place in the call. */
export interface Item<Value> {
  place: number
  value: Value
}

type Outcomes = Map<number, Outcome>

interface Bulk<Input, Value> {
  inputs: readonly Input[]
  /** One transaction for all items, or nothing is done; otherwise each item is done or refused on its own. */
  atomic: boolean
  /** Throws if an item is invalid, whatever is in the database. */
  check(input: Input): Value
  /** Does what it can of the items and says of each what became of it. It may run again from its beginning. */
  work(ctx: TransactionCtx, items: readonly Item<Value>[], done: Done): Promise<void>
}

/** What became of the items, and what the audit log says about them, by their places. */
export interface Done {
  outcomes: Outcomes
  events: Map<number, NewEvent>
}

/** Does many things in one call, and answers for each in the order of the inputs. */
export async function runBulk<Input extends object, Value>(ctx: Ctx, bulk: Bulk<Input, Value>): Promise<Outcome[]> {
  requireAdmin(ctx.caller)
  const outcomes: Outcomes = new Map()
  const items = validItems(bulk, outcomes)
  await (bulk.atomic ? runAtOnce(ctx, bulk, items, outcomes) : runInParts(ctx, bulk, items, outcomes))
  return bulk.inputs.map((_, place) => outcomes.get(place) ?? new AppError('NOT_APPLIED'))
}

function validItems<Input extends object, Value>(
  { inputs, check }: Bulk<Input, Value>,
  outcomes: Outcomes,
): Item<Value>[] {
  const items: Item<Value>[] = []
  for (const [place, input] of inputs.entries()) {
    try {
      items.push({ place, value: check(input) })
    } catch (error) {
      outcomes.set(place, asRefusal(error))
    }
  }
  return items
}

/** Ends a transaction of which nothing may remain. */
class RolledBack extends Error {
  readonly refusals: Outcomes

  constructor(refusals: Outcomes) {
    super('An item was refused.')
    this.refusals = refusals
  }
}

/** All items are tried even if one is invalid, so that one answer tells everything that is wrong. */
async function runAtOnce<Input extends object, Value>(
  ctx: Ctx,
  { work }: Bulk<Input, Value>,
  items: readonly Item<Value>[],
  outcomes: Outcomes,
): Promise<void> {
  const isRefused = outcomes.size > 0
  try {
    const found = await transact(ctx, async (ctx, done) => {
      await work(ctx, items, done)
      const refusals = [...done.outcomes].filter(([, outcome]) => outcome instanceof AppError)
      if (isRefused || refusals.length > 0) throw new RolledBack(new Map(refusals))
    })
    for (const [place, outcome] of found) outcomes.set(place, outcome)
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    for (const [place, outcome] of error.refusals) outcomes.set(place, outcome)
  }
}

/** A transaction for each part. When one fails as a whole, as when the key was revoked, the rest is refused for the same reason. */
async function runInParts<Input extends object, Value>(
  ctx: Ctx,
  { work }: Bulk<Input, Value>,
  items: readonly Item<Value>[],
  outcomes: Outcomes,
): Promise<void> {
  let failure: AppError | undefined
  for (const [index, part] of [...partsOf(items, ITEMS_OF_A_PART)].entries()) {
    try {
      if (failure) throw failure
      const found = await transact(ctx, (ctx, done) => work(ctx, part, done))
      for (const [place, outcome] of found) outcomes.set(place, outcome)
    } catch (error) {
      if (index === 0) throw error // nothing was done: as for a single item
      failure = asRefusal(error)
      for (const { place } of part) outcomes.set(place, failure)
    }
  }
}

const MAX_TRIES = 3

/** Begins again when another caller has taken a name after it was found free: now it is seen as taken. */
async function transact(ctx: Ctx, work: (ctx: TransactionCtx, done: Done) => Promise<void>): Promise<Outcomes> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(ctx, async (ctx) => {
        const done: Done = { outcomes: new Map(), events: new Map() }
        await work(ctx, done)
        return done.outcomes
      })
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      if (tries === MAX_TRIES) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause: error })
    }
  }
}

export function recordInOrder(ctx: TransactionCtx, events: ReadonlyMap<number, NewEvent>): Promise<void> {
  const inOrder = [...events].sort(([a], [b]) => a - b).map(([, event]) => event)
  return recordEvents(ctx, inOrder)
}

/** A bug is not an answer. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}
