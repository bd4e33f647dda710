import { Text } from '@mantine/core'
import { type FieldChange, valueText } from './details.ts'
import styles from './FieldChanges.module.css'

/** Each field that was changed, with its value before and after. */
export function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <dl className={styles['changes']}>
      {changes.map(({ field, before, after }) => (
        <div key={field} className={styles['change']}>
          <Text component="dt" size="sm" c="dimmed">
            {field}
          </Text>
          <Text component="dd" size="sm" className={styles['values']}>
            <Value of={before} none="not set" /> <span aria-hidden="true">→</span>
            <span className={styles['hidden']}> changed to </span> <Value of={after} none="not set" />
          </Text>
        </div>
      ))}
    </dl>
  )
}

function Value({ of, none }: { of: unknown; none: string }) {
  const text = valueText(of)
  return text === '' ? (
    <Text span inherit c="dimmed">
      {none}
    </Text>
  ) : (
    <span className={styles['value']}>{text}</span>
  )
}
