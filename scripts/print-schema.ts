import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal'
import { introspectionFromSchema, printSchema } from 'graphql'
import { schema } from '../server/schema.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '..', 'schema.graphql')

/** The contract as the code has it: types and fields in the order of the alphabet, so that a diff shows only what changed. */
export const printedSchema = () =>
  `# Printed from the code by \`npm run schema\`. Do not edit.\n\n${printSchema(schema)}\n`

export const SCHEMA_TYPES_FILE = join(import.meta.dirname, '..', 'web', 'api', 'schema-types.d.ts')

/** The same for the compiler, which types the documents of the web interface by it. */
export const printedSchemaTypes = () =>
  outputIntrospectionFile(minifyIntrospection(introspectionFromSchema(schema, { descriptions: false })), {
    fileType: '.d.ts',
    shouldPreprocess: true,
  })

if (import.meta.main) {
  writeFileSync(SCHEMA_FILE, printedSchema())
  writeFileSync(SCHEMA_TYPES_FILE, printedSchemaTypes())
  console.log('Wrote schema.graphql and web/api/schema-types.d.ts.')
}
