import type { Overview } from '../../api/overview.ts'
import type { Viewer } from '../../api/viewer.ts'

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
