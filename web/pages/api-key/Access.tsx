import { Button, Group, Text } from '@mantine/core'
import { Suspense, useRef, useState } from 'react'
import type { KeyOfPage } from '../../api/api-key.ts'
import type { KeyAccess } from '../../api/key-access.ts'
import { suggestionInWords, usedInWords } from '../../components/access-words.ts'
import { ACCESSES, whatItMay } from '../../components/key-access.ts'
import { Section } from '../../components/Section.tsx'
import { ChangeAccess, NarrowAccess } from '../../forms/api-keys/dialogs.ts'
import { NarrowerAccesses } from './NarrowerAccesses.tsx'

/** What the key may do, what it does, and the least that it needs for that. */
export function Access({ slug, apiKey }: { slug: string; apiKey: KeyOfPage }) {
  const [asked, setAsked] = useState<'change' | KeyAccess>()
  const change = useRef<HTMLButtonElement>(null)
  const close = () => setAsked(undefined)
  const suggested = apiKey.suggestedAccess.access
  return (
    <Section
      title="Access"
      message={whatItMay(apiKey)}
      action={
        <Button variant="default" size="compact-sm" ref={change} onClick={() => setAsked('change')}>
          Change access
        </Button>
      }
    >
      <Text>{usedInWords(apiKey)}</Text>
      <Text>{suggestionInWords(apiKey)}</Text>
      {suggested && suggested !== apiKey.access && (
        <Group mt="xs">
          <Button size="compact-sm" onClick={() => setAsked(suggested)}>
            Narrow to {ACCESSES[suggested].name}
          </Button>
        </Group>
      )}
      {apiKey.usedFields.length > 0 && <NarrowerAccesses apiKey={apiKey} />}
      <Suspense>
        {asked === 'change' && <ChangeAccess slug={slug} apiKey={apiKey} onClose={close} returnTo={change} />}
        {asked && asked !== 'change' && (
          <NarrowAccess slug={slug} apiKey={apiKey} access={asked} onClose={close} returnTo={change} />
        )}
      </Suspense>
    </Section>
  )
}
