import { Anchor, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { KeysOverview } from '../../api/overview.ts'
import { paths } from '../../paths.ts'
import { inWords } from '../../ui/call-counts.ts'
import styles from './overview.module.css'

interface BusiestKeysProps {
  slug: string
  busiest: NonNullable<KeysOverview['usage']>['busiest']
}

/** The keys with the most calls, each with a bar of its share. */
export function BusiestKeys({ slug, busiest }: BusiestKeysProps) {
  const id = useId()
  const most = Math.max(1, ...busiest.map(({ calls }) => calls))
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="sm" id={id}>
        Busiest keys
      </Title>
      {busiest.length === 0 && (
        <Text size="sm" c="dimmed">
          No key was used in the last 30 days.
        </Text>
      )}
      <ol className="plain-list">
        {busiest.map(({ apiKey, calls, errors }) => (
          <li key={apiKey.id} className={styles['busy']}>
            <Anchor component={Link} to={paths.apiKey(slug, apiKey.id)} size="sm" truncate>
              {apiKey.label}
            </Anchor>
            <Text component="span" size="sm" c="dimmed" className="nowrap">
              {inWords(calls, errors)}
            </Text>
            <span className={styles['bar']} aria-hidden="true">
              <span style={{ width: `${(calls / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
