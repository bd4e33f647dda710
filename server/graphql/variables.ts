import { badInput } from '../lib/check.ts'
import { tooLarge } from '../lib/too-large.ts'
import { isLongerThan } from './length.ts'
import {
  BODY_BYTES_OF_AN_ITEM,
  MAX_BODY_BYTES,
  MAX_BULK_ITEMS,
  MAX_LEVELS,
  MAX_OBJECT_FIELDS,
  MAX_VALUES,
  VALUES_OF_AN_ITEM,
} from './operation-limits.ts'
import type { Variables } from './page-arguments.ts'

/** How many inputs the longest list of the variables has. */
function bulkItems(variables: Variables | null | undefined): number {
  const lists = Object.values(variables ?? {}).filter((value) => Array.isArray(value))
  return Math.min(Math.max(0, ...lists.map((list) => list.filter(isObject).length)), MAX_BULK_ITEMS)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Refuses a body beyond the general limit, unless it is that large by the inputs of a list: error reports print each as a whole. */
export function requireBulk(bodyBytes: number, variables: Variables | null | undefined): void {
  const items = bulkItems(variables)
  const most = MAX_BODY_BYTES + items * BODY_BYTES_OF_AN_ITEM
  if (bodyBytes > most) throw items > 0 ? tooLarge(most, ITEMS) : tooLarge(most)
  const parts = Object.values(variables ?? {}).flat()
  if (parts.some((part) => isLongerThan(BODY_BYTES_OF_AN_ITEM, part))) throw tooLarge(BODY_BYTES_OF_AN_ITEM, EACH)
}

const ITEMS = `, which is ${MAX_BODY_BYTES / 1024} KiB and ${BODY_BYTES_OF_AN_ITEM / 1024} KiB for each input of a list in the variables. Send fewer in a call.`
const EACH = ` for each input of a list, and for each other variable, in a request of more than ${MAX_BODY_BYTES / 1024} KiB.`

/** Refuses more values than can be checked one by one, or deeper ones than can be walked through. */
export function requireFewValues(variables: Variables): void {
  const most = MAX_VALUES + bulkItems(variables) * VALUES_OF_AN_ITEM
  let count = 0
  let level: unknown[] = [variables]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) throw tooMany(`${MAX_LEVELS} levels deep`)
    const below: unknown[] = []
    for (const value of level) {
      const inside: unknown[] = Array.isArray(value) ? value : Object.values(value as object)
      if (inside !== value && inside.length > MAX_OBJECT_FIELDS)
        throw tooMany(`${MAX_OBJECT_FIELDS} fields in an object`)
      count += inside.length
      if (count > most) throw tooMany(`${most} values in all`)
      for (const each of inside) if (typeof each === 'object' && each !== null) below.push(each)
    }
    level = below
  }
}

const tooMany = (most: string) => badInput('variables', `variables: at most ${most}.`)
