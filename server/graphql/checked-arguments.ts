import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { AppError } from '../lib/app-error.ts'
import { BadFields, badInput, checkAll, checkAnyText } from '../lib/check.ts'
import { isMoment } from '../lib/clock.ts'
import { isId } from '../lib/id.ts'
import { type Domain, markedInvalid } from './domain.ts'

/** Returns the value, or its canonical form; throws if it is invalid. */
type Check = (value: unknown, field: string) => unknown

interface Input {
  name: string
  type: GraphQLInputType
  extensions: Readonly<Record<string, unknown>>
}

/** An id is never empty: a value that does not have the shape of an id is replaced by one that matches nothing. */
const ID_OF_NOTHING = ''

/** The check of all arguments, nested ones too; undefined: there are none. One that declares no values fails the building of the schema. */
export function argumentCheck<Args>(
  { name: type }: GraphQLObjectType,
  { name, args }: Pick<GraphQLField<unknown, unknown>, 'name' | 'args'>,
): ((args: Args) => Args) | undefined {
  if (args.length === 0) return undefined
  const check = checkOfFields(args, `${type}.${name}`)
  return (given) => check(given, '') as Args // the given ones, with canonical values
}

function checkOfFields(inputs: readonly Input[], where: string): Check {
  const checks = inputs.map((input) => [input.name, checkOf(input, `${where}.${input.name}`)] as const)
  return (value, field) => {
    const given = value as Record<string, unknown> // GraphQL has coerced it
    let changed: Record<string, unknown> | undefined
    let wrong: BadFields | undefined
    for (const [name, check] of checks) {
      const before = given[name]
      if (before === undefined || before === null || !check) continue
      try {
        const after = check(before, field === '' || field === 'input' ? name : `${field}.${name}`) // as clients know it
        if (after === before) continue
        changed ??= { ...given }
        changed[name] = after
      } catch (error) {
        wrong ??= new BadFields()
        wrong.add(error)
      }
    }
    wrong?.throwAny()
    return changed ?? given
  }
}

function checkOf({ type, extensions }: Input, where: string): Check | undefined {
  const domain = (extensions['domain'] ?? {}) as Domain // only domain.ts sets it
  const named = checkOfNamed(type, domain, where)
  const check = named && domain.whole ? checkOfWhole(named, domain.whole) : named
  return isListType(getNullableType(type)) ? checkOfList(check, domain, where) : check
}

/** If something is wrong, everything else that is wrong is reported too. */
function checkOfWhole(check: Check, whole: NonNullable<Domain['whole']>): Check {
  return (value, field) => {
    try {
      return check(value, field)
    } catch (error) {
      checkAll({ first: () => throws(error), others: () => void whole(value) })
      throw error
    }
  }
}

function throws(error: unknown): never {
  throw error
}

function checkOfList(check: Check | undefined, { items, eachOnItsOwn }: Domain, where: string): Check {
  if (items === undefined) throw new Error(`${where} has no maximum number of entries: see domain.ts.`)
  return (value, field) => {
    const list = value as unknown[] // GraphQL has coerced it
    if (list.length > items) throw badInput(field, `${field}: at most ${items} of them.`)
    if (!check) return list
    if (eachOnItsOwn) return list.map((each) => checkOnItsOwn(check, each as object)) // a list of input objects
    return list.map((each) => (each == null ? each : check(each, field)))
  }
}

/** The path to a field begins at the entry. */
function checkOnItsOwn(check: Check, item: object): unknown {
  try {
    return check(item, '')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return markedInvalid(item, error)
  }
}

function checkOfNamed(type: GraphQLInputType, domain: Domain, where: string): Check | undefined {
  const named = getNamedType(type)
  if (isInputObjectType(named)) return checkOfFields(Object.values(named.getFields()), where)
  switch (named.name) {
    case 'ID':
      return (value) => (isId(String(value)) ? value : ID_OF_NOTHING)
    case 'DateTime':
      return checkMoment
    case 'String':
      return checkOfText(domain, where)
    case 'Int':
    case 'Float':
      return checkOfNumber(domain, where)
    default:
      return undefined // Boolean and enums: GraphQL knows all of their values
  }
}

const checkMoment: Check = (value, field) => {
  if (isMoment(Number(value))) return value
  throw badInput(field, `${field}: a time from 1970 to 9999 with its zone, such as 2026-11-15T14:03:00Z.`)
}

function checkOfText({ max, lines = false, secrets = false }: Domain, where: string): Check {
  if (max === undefined) throw new Error(`${where} has no maximum length: see domain.ts.`)
  return (value, field) => {
    const text = String(value)
    checkAnyText(field, lines ? text.replace(/[\r\n\t]/g, ' ') : text, { max, secrets })
    return value
  }
}

function checkOfNumber({ min, max, unit }: Domain, where: string): Check {
  if (min === undefined || max === undefined) throw new Error(`${where} has no range: see domain.ts.`)
  return (value, field) => {
    const number = Number(value)
    if (number >= min && number <= max) return value
    throw badInput(field, `${field}: ${min} to ${max}${unit === undefined ? '' : ` ${unit}`}.`)
  }
}
