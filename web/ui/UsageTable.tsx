import { Table } from './Table.tsx'
import styles from './UsageHistory.module.css'
import type { UsageRow, UsageWindow } from './usage-window.ts'

const SHOWN = {
  DAY: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }),
  HOUR: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
}

/** The same in numbers, for those who cannot see a chart or want to know exactly. */
export function UsageTable({ rows, unit }: { rows: readonly UsageRow[]; unit: UsageWindow['unit'] }) {
  return (
    <details className={styles['numbers']}>
      <summary>Show as table</summary>
      <Table>
        <thead>
          <tr>
            <th>{unit === 'DAY' ? 'Day (UTC)' : 'Hour'}</th>
            <th>Calls</th>
            <th>Refused</th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ at, calls, errors }) => (
            <tr key={at}>
              <td>{SHOWN[unit].format(new Date(at))}</td>
              <td>{calls.toLocaleString()}</td>
              <td>{errors.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  )
}
