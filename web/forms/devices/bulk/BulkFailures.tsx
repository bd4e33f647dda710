import { Button, Group, Stack, Text } from '@mantine/core'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { Table } from '../../../ui/Table.tsx'
import { devicesOf, WORDS } from './bulk-words.ts'
import type { BulkAction, BulkReport } from './run-bulk.ts'

const SHOWN = 100

interface BulkFailuresProps {
  action: BulkAction
  report: BulkReport
  onClose: () => void
}

/** How many are done, and of each other one why not. */
export function BulkFailures({ action, report: { done, failed, failure }, onClose }: BulkFailuresProps) {
  const refused = [...failed].filter(([, { why }]) => why !== undefined)
  const untried = failed.size - refused.length
  return (
    <Stack>
      <Text role="status">
        {devicesOf(done)} {WORDS[action.kind].done}, {failed.size.toLocaleString()} not.
        {untried > 0 && !failure && ' It was stopped before it came to all of them.'}
      </Text>
      {failure && <ErrorAlert error={failure} />}
      {refused.length > 0 && (
        <Table label="Devices that failed">
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {refused.slice(0, SHOWN).map(([id, { name, why }]) => (
              <tr key={id}>
                <td>{name}</td>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {refused.length > SHOWN && <Text size="sm">and {(refused.length - SHOWN).toLocaleString()} more</Text>}
      <Text size="sm" c="dimmed">
        {devicesOf(failed.size)} {failed.size === 1 ? 'stays' : 'stay'} selected, so that you can try again.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
