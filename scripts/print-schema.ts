import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printSchema } from 'graphql'
import { schema } from '../server/schema.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '..', 'schema.graphql')

/** The contract as the code has it: types and fields in the order of the alphabet, so that a diff shows only what changed. */
export const printedSchema = () =>
  `# Printed from the code by \`npm run schema\`. Do not edit.\n\n${printSchema(schema)}\n`

if (import.meta.main) {
  writeFileSync(SCHEMA_FILE, printedSchema())
  console.log('Wrote schema.graphql.')
}
