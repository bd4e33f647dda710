import { Button, Center, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import type { KeyCalls } from '../../api/key-calls.ts'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './CallTable.module.css'

const AT_FIRST = 10

/** The newest first. A phone has room for two columns. */
export function CallTable({ calls, label }: { calls: KeyCalls['accepted']; label: string }) {
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
