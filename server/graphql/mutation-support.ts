import { AppError } from '../lib/app-error.ts'
import type { MutationOptions } from './mutation-options.ts'

/** Which options a mutation supports: with one, everything that it does must be in its one transaction. */
type Support =
  | 'WRITES'
  /** It takes access away, and works on a full disk too, and beyond the bytes of an organization. */
  | 'ENDS_ACCESS'
  /** It answers with a secret or a link, which a dry run would show although it works nowhere. */
  | 'GIVES_SECRET'
  /** It is about a secret that the caller sends, and takes its access away. */
  | 'TAKES_SECRET'

/** Of each mutation. One that is missing here supports nothing, and fails test/contract/mutation-support.test.ts. */
const MUTATIONS: Readonly<Record<string, Support>> = {
  changeUserRole: 'ENDS_ACCESS',
  checkInDevice: 'WRITES',
  checkInDevices: 'WRITES',
  createDevice: 'WRITES',
  createDevices: 'WRITES',
  createOrganization: 'WRITES',
  createWebhook: 'GIVES_SECRET',
  deleteCanaryApiKey: 'WRITES',
  deleteDevice: 'WRITES',
  deleteDevices: 'WRITES',
  deleteWebhook: 'WRITES',
  generateApiKey: 'GIVES_SECRET',
  generateCanaryApiKey: 'GIVES_SECRET',
  inviteUser: 'GIVES_SECRET',
  pauseApiKey: 'ENDS_ACCESS',
  redeliverWebhook: 'WRITES',
  removeUser: 'ENDS_ACCESS',
  renameApiKey: 'WRITES',
  reportLeakedApiKey: 'TAKES_SECRET',
  resumeApiKey: 'WRITES',
  revokeApiKey: 'ENDS_ACCESS',
  revokeApiKeys: 'ENDS_ACCESS',
  revokeOtherSessions: 'ENDS_ACCESS',
  revokeSession: 'ENDS_ACCESS',
  rotateApiKey: 'GIVES_SECRET',
  rotateWebhookSecret: 'GIVES_SECRET',
  setApiKeyPolicy: 'ENDS_ACCESS',
  setApiKeysEnabled: 'ENDS_ACCESS',
  supportSetApiKeysEnabled: 'WRITES',
  testWebhook: 'WRITES',
  updateApiKey: 'WRITES',
  updateDevice: 'WRITES',
  updateDevices: 'WRITES',
  updateOrganization: 'WRITES',
  updateProfile: 'WRITES',
  updateWebhook: 'WRITES',
  upsertDevices: 'WRITES',
}

const supportOf = (field: string): Support | undefined =>
  Object.hasOwn(MUTATIONS, field) ? MUTATIONS[field] : undefined

/** Every mutation that is decided about. */
export const decidedMutations = (): string[] => Object.keys(MUTATIONS)

export function endsAccess(field: string): boolean {
  const support = supportOf(field)
  return support === 'ENDS_ACCESS' || support === 'TAKES_SECRET'
}

/** Why a mutation does not support these options; undefined: it does. */
function refusalOf(field: string, { dryRun }: MutationOptions): string | undefined {
  const support = supportOf(field)
  if (support === undefined) {
    const option = dryRun ? 'a dry run' : 'an Idempotency-Key'
    return `${field} does not support ${option}. Nothing was done: send it without.`
  }
  if (!dryRun) return undefined
  if (support === 'GIVES_SECRET')
    return `${field} does not support a dry run: its secret would work nowhere. Nothing was done: send it without dryRun.`
  if (support === 'TAKES_SECRET')
    return `${field} does not support a dry run. Nothing was done: send it without dryRun.`
  return undefined
}

/** Throws unless each of these mutations supports the options: before any of them runs. */
export function requireSupport(fields: readonly string[], options: MutationOptions): void {
  for (const field of fields) {
    const message = refusalOf(field, options)
    if (message !== undefined) throw new AppError('BAD_REQUEST', { message })
  }
}
