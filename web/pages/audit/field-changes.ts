import type { AuditEvent } from '../../api/audit.ts'

export type FieldChange = NonNullable<AuditEvent['changes']>[number]

/** A value as text: a text as it is, anything else as JSON, nothing for none. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
