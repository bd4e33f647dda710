import { Group, Stack, Text } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import styles from './ApiLayout.module.css'
import { CodeField } from './CodeField.tsx'
import { endpoint } from './endpoint.ts'
import { SAMPLES } from './samples.ts'

/** The same call in several languages; the one that is shown is part of the address. */
export function Samples() {
  const { sample = 'curl' } = useSearch({ from: '/signed-in/$slug/api' })
  const shown = SAMPLES.find(({ id }) => id === sample)
  return (
    <Stack gap="xs">
      <Group component="nav" gap="xs" aria-label="Samples">
        {SAMPLES.map(({ id, name }) => (
          <Link
            key={id}
            from="/$slug/api"
            to="."
            search={{ sample: id }}
            replace
            resetScroll={false}
            className={styles['sample']}
            {...(id === sample && { 'data-active': true, 'aria-current': true })}
          >
            {name}
          </Link>
        ))}
      </Group>
      {shown && (
        <>
          <Text size="sm">{shown.how}</Text>
          <CodeField key={shown.id} label={`${shown.name} sample`} code={shown.code(endpoint())} />
        </>
      )}
    </Stack>
  )
}
