import { Button, Center } from '@mantine/core'
import { useState } from 'react'
import type { KeyCalls } from '../../api/key-calls.ts'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'

const AT_FIRST = 10

/** The newest first. */
export function CallTable({ calls }: { calls: KeyCalls['accepted'] }) {
  const [shown, setShown] = useState(AT_FIRST)
  return (
    <>
      <Table>
        <thead>
          <tr>
            <th>Time</th>
            <th>Operation</th>
            <th>IP address</th>
            <th>Status</th>
            <th>Duration</th>
          </tr>
        </thead>
        <tbody>
          {calls.slice(0, shown).map(({ id, at, operation, ip, status, durationMs, code }) => (
            <tr key={id}>
              <td>
                <Time at={at} />
              </td>
              <td className="mono">{operation ?? '—'}</td>
              <td>{ip}</td>
              <td>
                {status}
                {code && ` ${code}`}
              </td>
              <td className="nowrap">{durationMs.toLocaleString()} ms</td>
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
