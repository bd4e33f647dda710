import { SegmentedControl, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { type RefObject, Suspense, useId, useRef, useState } from 'react'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { lazyPart } from '../ui/lazy-dialog.tsx'
import { ApiLayout } from './api-pages/ApiLayout.tsx'
import styles from './api-pages/Explorer.module.css'

const Explorer = lazyPart(() => import('./api-pages/Explorer.tsx'))

/** GraphiQL. A pasted key exists in the state of this page only: nothing stores it, and leaving the page forgets it. */
export function ApiExplorerPage() {
  const viewer = useViewer()
  const { slug, id } = viewer.organization
  const [secret, setSecret] = useState<string>()
  const [isKeyMissing, setKeyMissing] = useState(false)
  const keyField = useRef<HTMLInputElement>(null)
  const change = (given: string | undefined) => {
    setKeyMissing(false)
    setSecret(given)
  }
  const askForKey = () => {
    setKeyMissing(true)
    keyField.current?.focus()
  }
  return (
    <ApiLayout title="API explorer" viewer={viewer}>
      <ChooseCaller key={id} {...{ viewer, secret, keyField, isKeyMissing }} onSecret={change} />
      <Suspense fallback={<Skeleton h="var(--height-editor)" />}>
        <Explorer caller={secret === undefined ? { slug } : { secret }} slug={slug} onKeyMissing={askForKey} />
      </Suspense>
    </ApiLayout>
  )
}

interface ChooseCallerProps {
  viewer: Viewer
  /** Undefined: the signed-in person. */
  secret: string | undefined
  keyField: RefObject<HTMLInputElement | null>
  /** Somebody has tried to run something without one. */
  isKeyMissing: boolean
  onSecret: (secret: string | undefined) => void
}

/** Who makes the calls of the explorer. The key is no password field, so that no browser offers to store it. */
function ChooseCaller({ viewer, secret, keyField, isKeyMissing, onSecret }: ChooseCallerProps) {
  const { user, role } = viewer
  const label = useId()
  return (
    <Stack gap="xs" mb="md" maw="var(--width-text)">
      <Text id={label} size="sm" fw={600}>
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
          error={isKeyMissing && 'Paste an API key first.'}
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
