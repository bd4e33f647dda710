import { badInput } from '../lib/check.ts'
import { MAX_LEVELS, MAX_OBJECT_FIELDS, MAX_VALUES } from './limits.ts'
import type { Variables } from './page-arguments.ts'

/** Refuses more values than can be checked one by one, or deeper ones than can be walked through. */
export function requireFewValues(variables: Variables): void {
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
      if (count > MAX_VALUES) throw tooMany(`${MAX_VALUES} values in all`)
      for (const each of inside) if (typeof each === 'object' && each !== null) below.push(each)
    }
    level = below
  }
}

const tooMany = (most: string) => badInput('variables', `variables: at most ${most}.`)
