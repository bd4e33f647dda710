import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canaryKeysQuery } from '../api/canary-keys.ts'
import { every } from '../api/polling.ts'
import type { Viewer } from '../api/viewer.ts'
import { keysOf, paths } from '../paths.ts'
import { alarmInWords, dismissAlarm, dismissedAlarm, usedSince } from './used-canaries.ts'

const REFRESH_MS = 60_000

/** Of canary keys that somebody has found and tried. Once dismissed, it comes back with the next call. */
export function useCanaryNotice(organization: Viewer['organization']) {
  const { id, slug, apiKeysEnabled } = organization
  const { data: canaries = [] } = useQuery({ ...canaryKeysQuery(slug), refetchInterval: every(REFRESH_MS) })
  const [seen, setSeen] = useState(() => dismissedAlarm(id))
  const used = usedSince(canaries, seen)
  if (used.length === 0) return undefined
  return {
    label: 'Canary keys that were used',
    words: alarmInWords(used),
    link: apiKeysEnabled
      ? { to: keysOf(organization), state: { showsCanaries: true as const } }
      : { to: paths.audit(slug) }, // the panel is not there
    dismiss: () => setSeen(dismissAlarm(id, used)),
  }
}
