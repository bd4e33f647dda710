import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { expiringKeysQuery } from '../api/expiring-keys.ts'
import type { Viewer } from '../api/viewer.ts'
import { keysOf } from '../paths.ts'
import { dismiss, dismissed, notDismissed, warningInWords } from './expiring-keys.ts'

/** Of keys that expire soon. Once dismissed, it comes back 7 days and 1 day before they expire. */
export function useExpiryNotice(organization: Viewer['organization']) {
  const { data: warnings = [] } = useQuery(expiringKeysQuery(organization.slug))
  const [put, setPut] = useState(() => dismissed(organization.id))
  const shown = notDismissed(warnings, put)
  if (shown.length === 0) return undefined
  return {
    label: 'API keys that expire soon',
    words: warningInWords(shown),
    link: { to: keysOf(organization) },
    dismiss: () => setPut(dismiss(organization.id, warnings)),
  }
}
