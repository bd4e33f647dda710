import { Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, use } from 'react'
import { anchorOf } from './api-address.ts'
import styles from './Reference.module.css'

interface Part {
  name: string
  description: string
  deprecated?: string
  type?: string
  default?: string
  args?: Part[]
}

/** Arguments, fields or values, each with its type and what it means. */
export const Fields = ({ label, fields }: { label: string; fields: Part[] }) => (
  <ul aria-label={label} className={styles['fields']}>
    {fields.map(({ name, type, args, ...part }) => (
      <li key={name}>
        <div className="mono">
          <strong>{name}</strong>
          {args && <Arguments args={args} />}
          {type && (
            <>
              : <TypeName type={type} />
            </>
          )}
          {part.default !== undefined && ` = ${part.default}`}
        </div>
        <Described {...part} />
      </li>
    ))}
  </ul>
)

/** The arguments of a field below the root, on one line. */
const Arguments = ({ args }: { args: Part[] }) => (
  <>
    (
    {args.map(({ name, type = '', ...arg }, index) => (
      <span key={name}>
        {index > 0 && ', '}
        {name}: <TypeName type={type} />
        {arg.default !== undefined && ` = ${arg.default}`}
      </span>
    ))}
    )
  </>
)

/** What the schema says of something; what is between backticks is code. */
const Described = ({ description, deprecated }: { description: string; deprecated?: string }) => (
  <>
    {deprecated !== undefined && (
      <Text size="sm" component="div">
        <Badge color="warning">Deprecated</Badge> <WithCode text={deprecated} />
      </Text>
    )}
    {description !== '' && (
      <Text size="sm">
        <WithCode text={description} />
      </Text>
    )}
  </>
)

const WithCode = ({ text }: { text: string }) =>
  text
    .split('`')
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that does not change
    .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))

/** The names of the types that have a place in the reference. */
export const KnownTypes = createContext<ReadonlySet<string>>(new Set())

/** `[Device!]!`, where Device leads to its place in the reference. */
export function TypeName({ type }: { type: string }) {
  const known = use(KnownTypes)
  const name = type.replace(/[[\]!]/g, '')
  const [before = '', after = ''] = type.split(name)
  return (
    <span className="mono">
      {before}
      {known.has(name) ? (
        <Anchor href={`#${anchorOf('type', name)}`} inherit underline="always">
          {name}
        </Anchor>
      ) : (
        name
      )}
      {after}
    </span>
  )
}

interface EntryProps {
  id: string
  name: string
  description: string
  deprecated?: string
  badge?: ReactNode
  children?: ReactNode
}

/** One query, mutation or type, with a link to itself. */
export const Entry = ({ id, name, badge, children, ...said }: EntryProps) => (
  <Stack component="article" id={id} tabIndex={-1} gap="xs" className={styles['entry']} aria-labelledby={`${id}-name`}>
    <Group gap="xs">
      <Title order={3} size="h5" id={`${id}-name`} className="mono">
        <a href={`#${id}`} className={styles['anchor']}>
          {name}
        </a>
      </Title>
      {badge}
    </Group>
    <Described {...said} />
    {children}
  </Stack>
)
