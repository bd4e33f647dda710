import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { printedSchema, printedSchemaTypes, SCHEMA_FILE, SCHEMA_TYPES_FILE } from '../../scripts/print-schema.ts'

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
