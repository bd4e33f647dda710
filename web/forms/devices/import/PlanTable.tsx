import { Text } from '@mantine/core'
import { Table } from '../../../ui/Table.tsx'
import type { Fate, ImportMode, PlannedRow } from './plan-import.ts'

const SHOWN = 6

const WORDS: Record<ImportMode, Record<Fate, string>> = {
  create: { create: 'Create', update: 'Already there', unchanged: 'Already there' },
  upsert: { create: 'Create', update: 'Update', unchanged: 'Unchanged' },
}

/** The first lines, and what would become of them. */
export function PlanTable({ plan, mode }: { plan: readonly PlannedRow[]; mode: ImportMode }) {
  return (
    <div>
      <Table label="First lines of the file">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Device</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {plan.slice(0, SHOWN).map((row) => (
            <tr key={row.line}>
              <td>{row.line.toLocaleString()}</td>
              <td>
                {row.device.name}
                <Text size="sm" c="dimmed">
                  {[row.device.tags?.join(', '), row.device.location?.name].filter(Boolean).join(' · ')}
                </Text>
              </td>
              <td>
                {WORDS[mode][row.fate]}
                {mode === 'upsert' && row.fate === 'update' && `: ${row.changes.join(', ')}`}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {plan.length > SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          and {(plan.length - SHOWN).toLocaleString()} more lines
        </Text>
      )}
    </div>
  )
}
