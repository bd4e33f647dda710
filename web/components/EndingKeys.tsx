import { CloseButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { keyWarningsQuery } from '../api/key-warnings.ts'
import type { Viewer } from '../api/viewer.ts'
import { keysOf } from '../paths.ts'
import styles from './EndingKeys.module.css'
import { dismiss, dismissed, notDismissed, warningInWords } from './ending-keys.ts'

/** Tells an Admin of keys that end soon, until it is put away; it comes back 7 days and 1 day before an end. */
export default function EndingKeys({ organization }: { organization: Viewer['organization'] }) {
  const { data: warnings = [] } = useQuery(keyWarningsQuery(organization.slug))
  const [put, setPut] = useState(() => dismissed(organization.id))
  const shown = notDismissed(warnings, put)
  if (shown.length === 0) return null
  return (
    <aside aria-label="API keys that end soon" className={styles['notice']}>
      <div role="status">
        <Link to={keysOf(organization)} className={styles['words']}>
          {warningInWords(shown)}
        </Link>
      </div>
      <CloseButton aria-label="Put away" onClick={() => setPut(dismiss(organization.id, warnings))} />
    </aside>
  )
}
