import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal'
import { introspectionFromSchema, printSchema } from 'graphql'
import { schema } from '../server/endpoints/schema.ts'
import { printReference } from './schema-reference.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '..', 'schema.graphql')

/** The schema as the code defines it, sorted, so that a diff shows only changes. */
export const printedSchema = () =>
  `# Printed from the code by \`npm run schema\`. Do not edit.\n\n${printSchema(schema)}\n`

export const SCHEMA_TYPES_FILE = join(import.meta.dirname, '..', 'web', 'api', 'schema-types.d.ts')

/** The schema as a type, for the documents of the web interface. It throws on any error, so root fields are there. */
export function printedSchemaTypes() {
  const introspection = introspectionFromSchema(schema, { descriptions: false })
  for (const type of introspection.__schema.types) {
    const root = [schema.getQueryType(), schema.getMutationType()].find((each) => each?.name === type.name)
    if (type.kind !== 'OBJECT' || !root) continue
    Object.assign(type, {
      fields: type.fields.map((field) => {
        if (!root.getFields()[field.name]?.extensions['isNullOnlyOnError']) return field
        return { ...field, type: { kind: 'NON_NULL', ofType: field.type } }
      }),
    })
  }
  return outputIntrospectionFile(minifyIntrospection(introspection), { fileType: '.d.ts', shouldPreprocess: true })
}

export const REFERENCE_FILE = join(import.meta.dirname, '..', 'web', 'api', 'schema-reference.json')

/** The schema for the reference on the page API. */
export const printedReference = () => printReference(schema)

if (import.meta.main) {
  writeFileSync(SCHEMA_FILE, printedSchema())
  writeFileSync(SCHEMA_TYPES_FILE, printedSchemaTypes())
  writeFileSync(REFERENCE_FILE, printedReference())
  console.log('Wrote schema.graphql, web/api/schema-types.d.ts and web/api/schema-reference.json.')
}
