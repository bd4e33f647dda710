import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  printedReference,
  printedSchema,
  printedSchemaTypes,
  REFERENCE_FILE,
  SCHEMA_FILE,
  SCHEMA_TYPES_FILE,
} from '../../scripts/print-schema.ts'
import { OPERATIONS } from './operations.ts'

it('schema.graphql matches the code', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8'), 'schema.graphql is old: run `npm run schema` and commit it').toBe(
    printedSchema(),
  )
})

it('web/api/schema-types.d.ts matches the code', () => {
  expect(readFileSync(SCHEMA_TYPES_FILE, 'utf8'), 'it is old: run `npm run schema` and commit it').toBe(
    printedSchemaTypes(),
  )
})

it('web/api/schema-reference.json matches the code', () => {
  expect(readFileSync(REFERENCE_FILE, 'utf8'), 'it is old: run `npm run schema` and commit it').toBe(printedReference())
})

it('the reference says of every operation whether a key may call it', () => {
  const { queries, mutations } = JSON.parse(printedReference())
  const fields: { name: string; access: string[] }[] = [...queries, ...mutations]
  const forKeys = fields.map(({ name, access }) => [name, access.length > 0])
  const found = fields.map(({ name }) => [name, OPERATIONS[name]?.key !== 'FORBIDDEN'])
  expect(Object.fromEntries(forKeys)).toEqual(Object.fromEntries(found))
})
