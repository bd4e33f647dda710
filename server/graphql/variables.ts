import { badInput } from '../lib/check.ts'
import { MAX_OBJECT_FIELDS, MAX_VALUES } from './limits.ts'
import type { Variables } from './page-arguments.ts'

/** Refuses more values than can be checked one by one, however deep they are nested. */
export function requireFewValues(variables: Variables): void {
  let count = 0
  const nested: unknown[] = [variables]
  for (let value = nested.pop(); value !== undefined; value = nested.pop()) {
    const inside: unknown[] = Array.isArray(value) ? value : Object.values(value as object)
    if (inside !== value && inside.length > MAX_OBJECT_FIELDS) throw tooMany(`${MAX_OBJECT_FIELDS} fields in an object`)
    count += inside.length
    if (count > MAX_VALUES) throw tooMany(`${MAX_VALUES} values in all`)
    for (const each of inside) if (typeof each === 'object' && each !== null) nested.push(each)
  }
}

const tooMany = (most: string) => badInput('variables', `variables: at most ${most}.`)
