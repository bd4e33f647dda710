import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Person, startWorld, type World } from '../../test/support/world.ts'

const QUERY = 'query ($filter: ApiKeyFilter) { apiKeys(filter: $filter) { data { id } } }'

let world: World
let ada: Person
beforeAll(async () => {
  world = await startWorld()
  ada = await world.signUp('Ada')
})
afterAll(() => world.close())

const ask = async (filter: object) => {
  const { errors = [] } = await ada.call(QUERY, { filter })
  return errors.map(({ code, extensions }) => `${code} ${extensions?.['field']}`)
}
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]))

it('of values that do not fit the first two are told, compiled or not', async () => {
  for (let sighting = 0; sighting < 3; sighting++) {
    expect(await ask(fields(1))).toEqual(['BAD_USER_INPUT filter'])
    expect(await ask(fields(500))).toEqual(['BAD_USER_INPUT filter', 'BAD_USER_INPUT filter'])
  }
})

it('more than 10,000 values are refused unseen, wherever they are', async () => {
  for (const filter of [{ ids: Array(10_000).fill('x') }, { ids: Array(25).fill(fields(400)) }]) {
    expect(await ask(filter)).toEqual(['BAD_USER_INPUT variables'])
  }
  const { errors } = await ada.call('{ viewer { role } }', { a: Array(10_000).fill(1) })
  expect(errors).toMatchObject([{ message: 'variables: at most 10000 values in all.' }])
})

it('an object with more than 500 fields is refused unseen, wherever it is', async () => {
  for (const filter of [fields(501), { ids: [fields(501)] }]) {
    expect(await ask(filter)).toEqual(['BAD_USER_INPUT variables'])
  }
  const { errors } = await ada.call('{ viewer { role } }', fields(501))
  expect(errors).toMatchObject([{ message: 'variables: at most 500 fields in an object.' }])
})
