import { errorOfItem } from '../graphql/domain.ts'
import { AppError } from '../lib/app-error.ts'
import { badInput, checkAll } from '../lib/check.ts'

export const nameTaken = () =>
  new AppError('CONFLICT', { field: 'name', message: 'The organization has a device of this name already.' })

/** A check of items that refuses one with the same name or id as a valid item before it. */
export function oncePerCall<Field extends 'id' | 'name', Input extends object, Value extends Record<Field, string>>(
  field: Field,
  check: (input: Input) => Value,
): (input: Input) => Value {
  const seen = new Set<string>()
  return (input) => {
    const value = checkWhole(input, check)
    const name = value[field]
    if (seen.has(name)) throw repeated(field)
    if (name !== '') seen.add(name) // a malformed id is that of nothing, however often it is there
    return value
  }
}

/** Everything that is wrong with an item at once: what was found with the arguments, and what is found here. */
function checkWhole<Input extends object, Value>(input: Input, check: (input: Input) => Value): Value {
  const invalid = errorOfItem(input)
  if (!invalid) return check(input)
  checkAll({
    before: () => {
      throw invalid
    },
    here: () => check(input),
  })
  throw invalid
}

const repeated = (field: 'id' | 'name') =>
  field === 'id'
    ? badInput('id', 'id: each device once in a call; an item before this one has the same id.')
    : new AppError('CONFLICT', { field, message: 'An item before this one in the same call has this name.' })
