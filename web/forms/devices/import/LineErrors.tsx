import { Text } from '@mantine/core'
import { Table } from '../../../ui/Table.tsx'
import type { LineError } from './file-error.ts'

const SHOWN = 100

/** What is wrong, by line and field. */
export function LineErrors({ errors, count = errors.length }: { errors: readonly LineError[]; count?: number }) {
  const shown = errors.slice(0, SHOWN)
  return (
    <>
      <Table label="Errors by line">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Field</th>
            <th scope="col">Problem</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ line, field, message }) => (
            <tr key={`${line} ${field} ${message}`}>
              <td>{line.toLocaleString()}</td>
              <td className="nowrap">{field}</td>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {count > SHOWN && (
        <Text size="sm" c="dimmed">
          and {(count - SHOWN).toLocaleString()} more
        </Text>
      )}
    </>
  )
}
