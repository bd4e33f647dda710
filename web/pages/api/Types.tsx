import { Badge, Title } from '@mantine/core'
import type { ReferenceType } from '../../api/schema-reference.ts'
import { anchorOf } from './api-address.ts'
import { Entry } from './Entry.tsx'
import { Fields } from './Fields.tsx'

/** Objects, inputs, enums and scalars, by name. */
export function Types({ types }: { types: ReferenceType[] }) {
  if (types.length === 0) return null
  return (
    <section aria-labelledby="type-list">
      <Title order={2} size="h3" id="type-list" mb="sm">
        Types
      </Title>
      {types.map((type) => (
        <Entry
          key={type.name}
          id={anchorOf('type', type.name)}
          {...type}
          badge={
            <Badge variant="default" size="sm" radius="sm" tt="none">
              {type.kind}
            </Badge>
          }
        >
          {type.fields && <Fields label={`Fields of ${type.name}`} fields={type.fields} />}
          {type.values && <Fields label={`Values of ${type.name}`} fields={type.values} />}
        </Entry>
      ))}
    </section>
  )
}
