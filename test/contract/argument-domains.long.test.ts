import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { expect } from 'vitest'
import { schema } from '../../server/endpoints/schema.ts'
import { LAST_MOMENT } from '../../server/lib/clock.ts'
import { inWorld } from '../support/world/fixtures.ts'
import type { Answer } from '../support/world/http.ts'
import { supportStaff } from '../support/world/people.ts'
import { startWorld, type TestOrganization } from '../support/world/world.ts'

/** One place in the schema that takes a value: an argument of a root field, or something inside of it. */
interface Place {
  operation: 'query' | 'mutation'
  field: string
  /** Behind the argument, the fields of inputs. */
  path: string[]
  type: GraphQLInputType
}

const LONG = 'x'.repeat(100_000)
const REFUSED_TEXTS = [LONG, 'a\0b', 'a\u001b[31mb', '\ud800']
const TEXTS = ['', "'; drop table device; --", '%', '…'.repeat(80), ...REFUSED_TEXTS]
const NUMBERS = [0, -1, 1, 2 ** 31 - 1, -(2 ** 31), 500, 501, 36_500, 604_801]
const FLOATS = [...NUMBERS, -1e308, 1e308, 5e-324, -0.0]
const MOMENTS = [
  '1969-12-31T23:59:59Z',
  '1960-01-01T00:00:00.000Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-11-15T25:00:00Z',
  '2026-11-15',
  'NaN',
  ...TEXTS,
]
const GOOD_MOMENTS = ['1970-01-01T00:00:00Z', '2026-11-15T14:03:00Z', '9999-12-31T23:59:59.999Z']
const CURSORS = ['[-1,"a"]', '[1e308,"a"]', '["a",-1]', '[]', '["\\ud800"]', '["a\\u0000"]', `["${LONG}"]`, '[[[[]]]]']

const it = inWorld(startWorld).extend('ada', { scope: 'file' }, ({ world }) => supportStaff(world, 'Ada'))

const places = [
  ...placesOf('query', schema.getQueryType()?.getFields()),
  ...placesOf('mutation', schema.getMutationType()?.getFields()),
]

function placesOf(operation: Place['operation'], fields: object | undefined): Place[] {
  const all = Object.entries(fields ?? {}) as [string, { args: readonly GraphQLArgument[] }][]
  return all.flatMap(([field, { args }]) => args.flatMap((arg) => inside({ operation, field, path: [] }, arg)))
}

function inside(at: Omit<Place, 'type'>, { name, type }: GraphQLArgument | GraphQLInputField): Place[] {
  const place = { ...at, path: [...at.path, name], type }
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return [place]
  return Object.values(named.getFields()).flatMap((field) => inside(place, field))
}

/** A value that GraphQL accepts, for whatever is required beside the place. */
function filler(type: GraphQLInputType): string {
  if (isListType(getNullableType(type))) return '[]'
  const named = getNamedType(type)
  if (isInputObjectType(named)) return `{ ${required(Object.values(named.getFields()))} }`
  if (isEnumType(named)) return named.getValues()[0]?.name ?? ''
  return { Boolean: 'false', Int: '1', Float: '1', DateTime: '"2030-01-01T00:00:00Z"' }[named.name] ?? '"edge"'
}

const required = (inputs: readonly (GraphQLArgument | GraphQLInputField)[]) =>
  inputs.flatMap(({ name, type }) => (isNonNullType(type) ? [`${name}: ${filler(type)}`] : [])).join(', ')

function documentFor({ operation, field, path, type }: Place, value?: string): string {
  const root = operation === 'query' ? schema.getQueryType() : schema.getMutationType()
  const definition = root?.getFields()[field]
  if (!definition) throw new Error(`No field ${field}.`)
  const [first = '', ...deeper] = path
  const written = (inputs: readonly (GraphQLArgument | GraphQLInputField)[], name: string, rest: string[]): string => {
    const others = required(inputs.filter((input) => input.name !== name))
    const here = inputs.find((input) => input.name === name)
    const named = here && getNamedType(here.type)
    const [next, ...further] = rest
    const given =
      next === undefined || !isInputObjectType(named)
        ? (value ?? '$v')
        : `{ ${written(Object.values(named.getFields()), next, further)} }`
    return `${name}: ${given}${others && `, ${others}`}`
  }
  const named = getNamedType(definition.type)
  const fields = named.name === 'DeviceResults' ? 'results { error { code field } }' : '__typename'
  const selection = isCompositeType(named) ? ` { ${fields} }` : ''
  const variables = value === undefined ? `($v: ${String(type)})` : ''
  return `${operation} ${variables} { ${field}(${written(definition.args, first, deeper)})${selection} }`
}

function edgesOf({ type, path }: Place): unknown[] {
  if (path.at(-1) === 'after') return [...TEXTS, ...CURSORS.map((text) => Buffer.from(text).toString('base64url'))]
  return (
    { String: TEXTS, ID: TEXTS, Int: NUMBERS, Float: FLOATS, DateTime: [...MOMENTS, ...GOOD_MOMENTS] }[
      getNamedType(type).name
    ] ?? []
  )
}

const nameOf = ({ field, path }: Place) => `${field}(${path.join('.')})`
/** As errors name a place: what is inside of `input`, or of one of the `inputs`, goes by its own name. */
const fieldOf = ({ path }: Place) => path.join('.').replace(/^inputs?\./, '')

interface ItemResult {
  error: { code: string; field: string } | null
}

/** The errors of an answer, with those of its items as if they were its own. */
function errorsOf({ data, errors }: Answer): { code: string; extensions: { field?: unknown } }[] {
  const answers = Object.values((data ?? {}) as Record<string, { results?: ItemResult[] } | null>)
  const ofItems = answers.flatMap((answer) => answer?.results ?? []).flatMap(({ error }) => error ?? [])
  return [...errors, ...ofItems.map(({ code, field }) => ({ code, extensions: { field } }))]
}

async function answersTo(acme: TestOrganization, place: Place, value: unknown) {
  const isList = isListType(getNullableType(place.type))
  const given = isList ? [value] : value
  const asVariable = documentFor(place)
  const asLiteral = documentFor(place, JSON.stringify(given))
  return [
    await acme.call(asVariable, { v: given }),
    // A document that is too long, or has half a character in it, is not read.
    ...(asLiteral.length > 16_000 || value === '\ud800' ? [] : [await acme.call(asLiteral)]),
  ]
}

/** Among what else is wrong with the input around it. */
const isBadInput = (place: Place) =>
  expect.arrayContaining([
    expect.objectContaining({ code: 'BAD_USER_INPUT', extensions: expect.objectContaining({ field: fieldOf(place) }) }),
  ])

/** What is out of its domain whatever the field is; an id that has not its shape is merely the id of nothing. */
function isRefused({ type }: Place, value: unknown): boolean {
  const named = getNamedType(type).name
  if (named === 'DateTime') return !GOOD_MOMENTS.includes(String(value))
  return named === 'String' && REFUSED_TEXTS.includes(String(value))
}

it.for(places.map((place) => [nameOf(place), place] as const))(
  'has a domain, and every input gives an answer and no bug: %s',
  { timeout: 60_000 },
  async ([_name, place], { acme }) => {
    const edges = edgesOf(place)
    for (const value of edges) {
      for (const answer of await answersTo(acme, place, value)) {
        const errors = errorsOf(answer)
        const sent = String(value).slice(0, 30)
        expect(JSON.stringify(errors), sent).not.toContain('INTERNAL')
        if (isRefused(place, value)) expect(errors, sent).toEqual(isBadInput(place))
        else expect(JSON.stringify(errors), sent).not.toContain('from 1970 to 9999')
        if (getNamedType(place.type).name === 'ID') expect(JSON.stringify(errors), sent).not.toContain('BAD_USER_INPUT')
      }
    }
    if (!isListType(getNullableType(place.type))) return
    const named = getNamedType(place.type)
    const each = isEnumType(named) ? named.getValues()[0]?.name : 'x'
    const answer = await acme.call(documentFor(place), { v: Array(5_000).fill(each) })
    expect(errorsOf(answer)).toEqual(isBadInput(place))
  },
)

it('the last time of the calendar is accepted and returned', async ({ world, ada }) => {
  const late = await world.organization('Late', { admin: ada })
  const answer = await late.call(
    'mutation { generateApiKey(input: { expiresAt: "9999-12-31T23:59:59.999Z" }) { apiKey { id expiresAt } } }',
  )
  const { apiKey } = (answer.data as { generateApiKey: { apiKey: { id: string; expiresAt: string } } }).generateApiKey
  expect(Date.parse(apiKey.expiresAt)).toBe(LAST_MOMENT)
  world.clock.advance(1000)
  const rotated = await late.call('mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { expiresAt } } }', {
    id: apiKey.id,
  })
  expect(rotated.data).toEqual({ rotateApiKey: { apiKey: { expiresAt: '9999-12-31T23:59:59.999Z' } } })
})
