import { Text } from '@mantine/core'
import { useId } from 'react'
import { anchorOf } from './api-address.ts'
import styles from './Reference.module.css'

interface Named {
  name: string
}

interface ContentsProps {
  queries: readonly Named[]
  mutations: readonly Named[]
  types: readonly Named[]
}

/** The names of what the reference shows, beside it where there is room. */
export const Contents = ({ queries, mutations, types }: ContentsProps) => (
  <nav aria-label="Contents" className={styles['contents']}>
    <Names title="Queries" kind="query" of={queries} />
    <Names title="Mutations" kind="mutation" of={mutations} />
    <Names title="Types" kind="type" of={types} />
  </nav>
)

interface NamesProps {
  title: string
  kind: Parameters<typeof anchorOf>[0]
  of: readonly Named[]
}

function Names({ title, kind, of }: NamesProps) {
  const id = useId()
  if (of.length === 0) return null
  return (
    <>
      <Text id={id} size="xs" fw={600} c="dimmed">
        {title}
      </Text>
      <ul className="plain-list" aria-labelledby={id}>
        {of.map(({ name }) => (
          <li key={name}>
            <a href={`#${anchorOf(kind, name)}`} className={styles['name']}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
