import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../api/client.ts'
import { pauseApiKey, resumeApiKey } from '../../../api/key-pause.ts'
import { PAUSES } from '../../../components/lengths.ts'
import { IconPlayerPause, IconPlayerPlay } from '../../../ui/icons/icons.ts'
import type { MenuEntry } from '../../../ui/menu.ts'
import { notifyDone, notifyError } from '../../../ui/notify.ts'

interface PausableKey {
  id: string
  label: string
  paused: boolean
  expired: boolean
}

/** Pauses and resumes keys, and says what became of it (C15). */
export function usePause(slug: string) {
  const queryClient = useQueryClient()
  const [pendingId, setPendingId] = useState<string>()

  const act = async (key: PausableKey, change: () => Promise<unknown>, done: string) => {
    setPendingId(key.id)
    try {
      await change()
      notifyDone(done)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      notifyError(error)
    } finally {
      setPendingId(undefined)
      void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
    }
  }
  const pause = (key: PausableKey, seconds: number | null, label: string) =>
    act(key, () => pauseApiKey(slug, key.id, seconds), `“${key.label}” is paused ${label}. Calls with it are refused.`)
  const resume = (key: PausableKey) =>
    act(key, () => resumeApiKey(slug, key.id), `“${key.label}” is resumed. Calls with it are accepted again.`)

  /** For the menu of a key: an expired one has none. */
  const entriesFor = (key: PausableKey): MenuEntry[] => {
    if (key.expired) return []
    if (key.paused) return ['line', { label: 'Resume', icon: IconPlayerPlay, act: () => resume(key) }]
    return [
      'line',
      ...PAUSES.map(({ seconds, label }) => ({
        label: `Pause ${label}`,
        icon: IconPlayerPause,
        act: () => pause(key, seconds, label),
      })),
    ]
  }
  return { entriesFor, resume, pendingId }
}
