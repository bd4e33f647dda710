import { Button, Center, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type KeyCalls, keyCallsQuery } from '../../api/api-key.ts'
import { ApiError } from '../../api/client.ts'
import { Section } from '../../components/Section.tsx'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './Calls.module.css'

/** The last calls with the key, one by one. */
export function Calls({ slug, id }: { slug: string; id: string }) {
  const { data: calls, error } = useQuery(keyCallsQuery(slug, id))
  if (calls) return <CallList calls={calls} />
  return (
    <Section title="Calls">
      {error instanceof ApiError ? (
        <ErrorAlert error={error} />
      ) : (
        <Skeleton height="var(--height-chart)" role="status" aria-busy="true" aria-label="Loading the calls" />
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
        <CallTable key={shown} calls={calls[shown]} label={shown === 'accepted' ? 'Accepted calls' : 'Refused calls'} />
      )}
    </Section>
  )
}

const AT_FIRST = 10

/** The newest first. A phone has room for two columns. */
function CallTable({ calls, label }: { calls: KeyCalls['accepted']; label: string }) {
  const [shown, setShown] = useState(AT_FIRST)
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  return (
    <>
      <Table label={label}>
        <thead>
          <tr>
            {!isPhone && <th>Time</th>}
            <th>Operation</th>
            {!isPhone && <th>IP address</th>}
            <th>Status</th>
            {!isPhone && <th>Duration</th>}
          </tr>
        </thead>
        <tbody>
          {calls.slice(0, shown).map(({ id, at, operation, ip, status, durationMs, code }) => (
            <tr key={id}>
              {!isPhone && (
                <td>
                  <Time at={at} />
                </td>
              )}
              <td>
                <span className={`mono ${styles['operation']}`}>{operation ?? '—'}</span>
                {isPhone && (
                  <Below>
                    <Time at={at} /> from {ip}
                  </Below>
                )}
              </td>
              {!isPhone && <td>{ip}</td>}
              <td>
                {status}
                {code && ` ${code}`}
                {isPhone && <Below>{durationMs.toLocaleString()} ms</Below>}
              </td>
              {!isPhone && <td className="nowrap">{durationMs.toLocaleString()} ms</td>}
            </tr>
          ))}
        </tbody>
      </Table>
      {calls.length > shown && (
        <Center mt="md">
          <Button variant="default" onClick={() => setShown(calls.length)}>
            Show all {calls.length}
          </Button>
        </Center>
      )}
    </>
  )
}

const Below = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)
