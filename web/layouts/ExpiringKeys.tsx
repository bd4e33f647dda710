import { CloseButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { expiringKeysQuery } from '../api/expiring-keys.ts'
import type { Viewer } from '../api/viewer.ts'
import { keysOf } from '../paths.ts'
import styles from './ExpiringKeys.module.css'
import { dismiss, dismissed, notDismissed, warningInWords } from './expiring-keys.ts'

/** Warns an Admin of keys that expire soon. Once dismissed, it comes back 7 days and 1 day before they expire. */
export default function ExpiringKeys({ organization }: { organization: Viewer['organization'] }) {
  const { data: warnings = [] } = useQuery(expiringKeysQuery(organization.slug))
  const [put, setPut] = useState(() => dismissed(organization.id))
  const shown = notDismissed(warnings, put)
  if (shown.length === 0) return null
  return (
    <aside aria-label="API keys that expire soon" className={styles['notice']}>
      <div role="status">
        <Link to={keysOf(organization)} className={styles['words']}>
          {warningInWords(shown)}
        </Link>
      </div>
      <CloseButton aria-label="Dismiss" onClick={() => setPut(dismiss(organization.id, warnings))} />
    </aside>
  )
}
