import { useSyncExternalStore } from 'react'

const TIMEOUT_MS = 15_000

let answers = true
const listeners = new Set<() => void>()

/** Whether the portal answered the last time that it was asked anything. What the browser thinks of its network says little. */
export function recordRequest(did: boolean): void {
  if (did === answers) return
  answers = did
  for (const listener of listeners) listener()
}

/** Checks whether the portal responds at all. */
export async function isReachable(): Promise<boolean> {
  const did = await isOk('/health/live')
  recordRequest(did)
  return did
}

/** Whether a page that failed would be there if it were loaded again: the database answers too. */
export const isReady = () => isOk('/health/ready')

const isOk = (path: string): Promise<boolean> =>
  fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Whether the portal responds, as a hook. */
export const useAnswers = () => useSyncExternalStore(subscribe, () => answers)

/** Calls it whenever the portal responds again. */
export const onReturn = (listener: () => void) => subscribe(() => answers && listener())

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
