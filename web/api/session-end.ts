import { useSyncExternalStore } from 'react'

let hasEnded = false
const listeners = new Set<() => void>()

/** Whether the session ended while somebody was filling in a form: the page stays until they have signed in again. */
export function recordSessionEnd(did: boolean): void {
  if (did === hasEnded) return
  hasEnded = did
  for (const listener of listeners) listener()
}

export const useSessionEnded = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => hasEnded,
  )
