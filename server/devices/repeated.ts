import { AppError } from '../lib/app-error.ts'
import { badInput } from '../lib/check.ts'

/** The error for a name that another device has. */
export const nameTaken = () =>
  new AppError('CONFLICT', { field: 'name', message: 'The organization has a device of this name already.' })

/** A check of items that refuses one with the same name or id as a valid item before it. */
export function oncePerCall<Field extends 'id' | 'name', Input, Value extends Record<Field, string>>(
  field: Field,
  check: (input: Input) => Value,
): (input: Input) => Value {
  const seen = new Set<string>()
  return (input) => {
    const value = check(input)
    const name = value[field]
    if (seen.has(name)) throw repeated(field)
    if (name !== '') seen.add(name) // a malformed id is that of nothing, however often it is there
    return value
  }
}

const repeated = (field: 'id' | 'name') =>
  field === 'id'
    ? badInput('id', 'id: each device once in a call; an item before this one has the same id.')
    : new AppError('CONFLICT', { field, message: 'An item before this one in the same call has this name.' })
