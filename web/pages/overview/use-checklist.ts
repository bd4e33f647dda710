import { useEffect, useState } from 'react'
import type { Overview } from '../../api/overview.ts'
import type { Viewer } from '../../api/viewer.ts'

interface Stored {
  isDismissed: boolean
  done: readonly Step[]
}

const NOTHING: Stored = { isDismissed: false, done: [] }

/**
 * What a person has done of the checklist of an organization: a step stays done when its key or device is gone. In the
 * storage of the browser, since it concerns nobody else.
 */
export function useChecklist(userId: string, organizationId: string, doneNow: ReadonlySet<Step>) {
  const name = `checklist ${userId} ${organizationId}`
  const [stored, setStored] = useState(() => read(name))
  const done = STEPS.filter((step) => doneNow.has(step) || stored.done.includes(step))
  const isNew = done.length > stored.done.length

  const keep = (next: Stored) => {
    setStored(next)
    write(name, next)
  }
  useEffect(() => {
    if (isNew) keep({ ...stored, done })
  })
  return {
    done: new Set(done),
    isOver: stored.isDismissed || done.length === STEPS.length,
    dismiss: () => keep({ isDismissed: true, done }),
  }
}

/** Whatever is stored there: somebody may have changed it. */
function read(name: string): Stored {
  try {
    const { isDismissed, done } = JSON.parse(localStorage.getItem(name) ?? 'null')
    return { isDismissed: isDismissed === true, done: STEPS.filter((step) => done.includes(step)) }
  } catch {
    return NOTHING
  }
}

/** A browser that stores nothing shows the checklist again the next time. */
function write(name: string, stored: Stored): void {
  try {
    localStorage.setItem(name, JSON.stringify(stored))
  } catch {}
}

/** The first ten minutes with a new organization, in this order. */
export const STEPS = ['switch-on', 'generate', 'first-call', 'add-device', 'check-in'] as const

export type Step = (typeof STEPS)[number]

/** The steps that are done, as the organization is now. */
export function stepsDone({ organization }: Viewer, { devices, apiKeys }: Overview): ReadonlySet<Step> {
  const { total, neverSeen } = devices
  const isDone: Record<Step, boolean> = {
    'switch-on': organization.apiKeysEnabled,
    generate: apiKeys !== null && apiKeys.active + apiKeys.expired > 0,
    'first-call': apiKeys !== null && apiKeys.lastUsedAt !== null,
    'add-device': total > 0,
    'check-in': neverSeen !== null && neverSeen < total,
  }
  return new Set(STEPS.filter((step) => isDone[step]))
}
