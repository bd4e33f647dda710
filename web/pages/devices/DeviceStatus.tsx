import type { DeviceStatus as Status } from '../../api/devices.ts'
import styles from './DeviceStatus.module.css'

const STATUS_WORDS: Record<Status, string> = {
  ONLINE: 'Online',
  OFFLINE: 'Offline',
  NEVER_SEEN: 'Never seen',
}

/** The word says it; the dot, of another colour and shape each, lets the eye find it. */
export function DeviceStatus({ status }: { status: Status }) {
  return (
    <span className="nowrap">
      <span className={styles['dot']} data-status={status} aria-hidden="true" />
      {STATUS_WORDS[status]}
    </span>
  )
}
