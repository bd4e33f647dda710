import { SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { type KeyCalls, keyCallsQuery } from '../../api/key-calls.ts'
import { Section } from '../../components/Section.tsx'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { CallTable } from './CallTable.tsx'

/** The last calls with the key, one by one. */
export function Calls({ slug, id }: { slug: string; id: string }) {
  const { data: calls, error } = useQuery(keyCallsQuery(slug, id))
  if (calls) return <CallList calls={calls} />
  return (
    <Section title="Calls">
      {error instanceof ApiError ? (
        <ErrorAlert error={error} />
      ) : (
        <Skeleton height={80} role="status" aria-busy="true" aria-label="Loading the calls" />
      )}
    </Section>
  )
}

/** Accepted or refused ones: whichever there are, at first. */
export function CallList({ calls }: { calls: KeyCalls }) {
  const [chosen, setChosen] = useState<keyof KeyCalls>()
  const shown = chosen ?? (calls.accepted.length === 0 && calls.refused.length > 0 ? 'refused' : 'accepted')
  const choices = [
    { value: 'accepted', label: `Accepted (${calls.accepted.length})` },
    { value: 'refused', label: `Refused (${calls.refused.length})` },
  ] as const
  return (
    <Section
      title="Calls"
      message="The last 100 accepted and the last 100 refused calls of the last 24 hours. Variables are not recorded."
      action={
        <SegmentedControl
          size="xs"
          aria-label="Which calls"
          data={[...choices]}
          value={shown}
          onChange={(value) => setChosen(value === 'refused' ? 'refused' : 'accepted')}
        />
      }
    >
      {calls[shown].length === 0 ? (
        <Text>No {shown} calls in the last 24 hours.</Text>
      ) : (
        <CallTable key={shown} calls={calls[shown]} />
      )}
    </Section>
  )
}
