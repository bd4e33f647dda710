import { CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Viewer } from '../api/viewer.ts'
import styles from './KeyNotices.module.css'
import { useCanaryNotice } from './use-canary-notice.ts'
import { useExpiryNotice } from './use-expiry-notice.ts'

/** What an Admin should know about the keys, on every page. One at a time: an alarm comes first. */
export default function KeyNotices({ organization }: { organization: Viewer['organization'] }) {
  const alarm = useCanaryNotice(organization)
  const expiry = useExpiryNotice(organization)
  const notice = alarm ?? expiry
  if (!notice) return null
  const { label, words, link, dismiss } = notice
  return (
    <aside aria-label={label} className={styles['notice']} data-alarm={notice === alarm || undefined}>
      <div role="status">
        <Link {...link} className={styles['words']}>
          {words}
        </Link>
      </div>
      <CloseButton aria-label="Dismiss" onClick={dismiss} />
    </aside>
  )
}
