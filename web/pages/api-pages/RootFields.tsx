import { Badge, Group, Text, Title } from '@mantine/core'
import type { ReferenceRootField, ReferenceType } from '../../api/schema-reference.ts'
import { anchorOf } from './api-address.ts'
import { Entry, Fields, TypeName } from './Fields.tsx'

interface RootFieldsProps {
  title: string
  kind: 'query' | 'mutation'
  fields: ReferenceRootField[]
}

/** The queries, or the mutations. */
export function RootFields({ title, kind, fields }: RootFieldsProps) {
  if (fields.length === 0) return null
  return (
    <section aria-labelledby={`${kind}-list`}>
      <Title order={2} size="h3" id={`${kind}-list`} mb="sm">
        {title}
      </Title>
      {fields.map((field) => (
        <Entry key={field.name} id={anchorOf(kind, field.name)} {...field}>
          <Text size="sm" component="div">
            Returns <TypeName type={field.type} />
          </Text>
          <KeyAccess access={field.access} />
          {field.args && <Fields label={`Arguments of ${field.name}`} fields={field.args} />}
        </Entry>
      ))}
    </section>
  )
}

/** Which keys may call it. */
const KeyAccess = ({ access }: { access: string[] }) =>
  access.length === 0 ? (
    <Text size="sm">For signed-in people, not for keys.</Text>
  ) : (
    <Group gap="xs">
      <Text size="sm">Access of the key:</Text>
      {access.map((name) => (
        <Badge key={name} className="mono">
          {name}
        </Badge>
      ))}
    </Group>
  )

/** Objects, inputs, enums and scalars, by name. */
export function Types({ types }: { types: ReferenceType[] }) {
  if (types.length === 0) return null
  return (
    <section aria-labelledby="type-list">
      <Title order={2} size="h3" id="type-list" mb="sm">
        Types
      </Title>
      {types.map((type) => (
        <Entry key={type.name} id={anchorOf('type', type.name)} {...type} badge={<Badge>{type.kind}</Badge>}>
          {type.fields && <Fields label={`Fields of ${type.name}`} fields={type.fields} />}
          {type.values && <Fields label={`Values of ${type.name}`} fields={type.values} />}
        </Entry>
      ))}
    </section>
  )
}
