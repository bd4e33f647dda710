import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type RefObject, useId } from 'react'
import type { Viewer } from '../../api/viewer.ts'
import styles from './Explorer.module.css'

interface ChooseCallerProps {
  viewer: Viewer
  /** Undefined: the signed-in person. */
  secret: string | undefined
  keyField: RefObject<HTMLInputElement | null>
  /** Somebody has tried to run something without one. */
  isAskedFor: boolean
  onSecret: (secret: string | undefined) => void
}

/** Who makes the calls of the explorer. The key is no password field, so that no browser offers to store it. */
export function ChooseCaller({ viewer, secret, keyField, isAskedFor, onSecret }: ChooseCallerProps) {
  const { user, role } = viewer
  const label = useId()
  return (
    <Stack gap="xs" mb="md" maw={760}>
      <Text id={label} size="sm" fw={500}>
        Run as
      </Text>
      <SegmentedControl
        aria-labelledby={label}
        value={secret === undefined ? 'person' : 'key'}
        onChange={(chosen) => onSecret(chosen === 'key' ? '' : undefined)}
        data={[
          { value: 'person', label: user?.name ?? 'Yourself' },
          { value: 'key', label: 'An API key' },
        ]}
      />
      {secret === undefined ? (
        <Text size="sm" c="dimmed">
          With your session and your rights as {role === 'ADMIN' ? 'an Admin' : 'a Member'}. Mutations change real data.
        </Text>
      ) : (
        <TextInput
          ref={keyField}
          label="API key"
          error={isAskedFor && 'Paste an API key first.'}
          description="Used by this page only, and forgotten when you leave or reload it."
          value={secret}
          onChange={(event) => onSecret(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-1p-ignore
          classNames={{ input: `mono ${styles['secret']}` }}
        />
      )}
    </Stack>
  )
}
