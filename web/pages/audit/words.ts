import type { AuditAction, AuditEvent } from '../../api/audit.ts'

interface Words {
  /** After who did it. */
  message: string
  /** Where the subject is the one who did it, or goes without saying. */
  alone?: boolean
  /** The message says everything: nobody is known to have done it. */
  isImpersonal?: boolean
  /** In the list of filters. */
  filter: string
}

/** Everything that the log can hold, in the words of the product. */
export const ACTIONS: Readonly<Record<AuditAction, Words>> = {
  API_KEY_GENERATED: { message: 'generated the API key', filter: 'API key generated' },
  API_KEY_PAUSED: { message: 'paused the API key', filter: 'API key paused' },
  API_KEY_REFUSED: { message: 'was refused', alone: true, filter: 'API key refused' },
  API_KEY_RENAMED: { message: 'renamed an API key to', filter: 'API key renamed' },
  API_KEY_RESUMED: { message: 'resumed the API key', filter: 'API key resumed' },
  API_KEY_REVOKED: { message: 'revoked the API key', filter: 'API key revoked' },
  API_KEY_ROTATED: { message: 'rotated the API key', filter: 'API key rotated' },
  API_KEY_REMOVED: { message: 'removed the expired API key', filter: 'Expired API key removed' },
  API_KEY_UPDATED: { message: 'changed the restrictions of the API key', filter: 'API key changed' },
  API_KEY_EXPIRY_NOTIFIED: {
    message: 'sent an expiration warning for the API key',
    filter: 'API key expiration warning',
  },
  API_KEY_LEAKED: { message: 'revoked the leaked API key', filter: 'Leaked API key revoked' },
  API_KEYS_REVOKED: { message: 'revoked API keys:', filter: 'API keys revoked together' },
  API_KEYS_POLICY_CHANGED: {
    message: 'changed the API key policy',
    alone: true,
    filter: 'API key policy changed',
  },
  API_KEYS_SWITCHED_ON: { message: 'switched API keys on', alone: true, filter: 'API keys switched on' },
  API_KEYS_RELEASED: {
    message: 'accepted API keys again after a restore',
    alone: true,
    filter: 'API keys accepted again',
  },
  CANARY_KEY_GENERATED: { message: 'generated the canary key', filter: 'Canary key generated' },
  CANARY_KEY_DELETED: { message: 'deleted the canary key', filter: 'Canary key deleted' },
  CANARY_KEY_USED: { message: 'refused a call with the canary key', filter: 'Canary key used' },
  CANARY_KEY_LEAKED: { message: 'received a report of the leaked canary key', filter: 'Canary key leaked' },
  DATABASE_RESTORED: {
    message: 'found that the database had been restored to an earlier state',
    alone: true,
    filter: 'Database restored',
  },
  API_KEYS_SWITCHED_OFF: { message: 'switched API keys off', alone: true, filter: 'API keys switched off' },
  DEVICE_CREATED: { message: 'added the device', filter: 'Device added' },
  DEVICE_UPDATED: { message: 'updated the device', filter: 'Device updated' },
  DEVICE_DELETED: { message: 'deleted the device', filter: 'Device deleted' },
  DEVICE_VIEW_SAVED: { message: 'saved for everyone the view of devices', filter: 'View of devices saved' },
  DEVICE_VIEW_DELETED: { message: 'deleted the view of devices', filter: 'View of devices deleted' },
  ORGANIZATION_CREATED: { message: 'created the account', filter: 'Account created' },
  ORGANIZATION_UPDATED: { message: 'renamed the account to', filter: 'Account renamed' },
  USER_INVITED: { message: 'invited', filter: 'User invited' },
  USER_JOINED: { message: 'joined', alone: true, filter: 'User joined' },
  USER_ROLE_CHANGED: { message: 'changed the role of', filter: 'Role changed' },
  USER_REMOVED: { message: 'removed', filter: 'User removed' },
  USER_LEFT: { message: 'left', alone: true, filter: 'User left' },
  USER_SIGNED_IN: { message: 'signed in', alone: true, filter: 'Signed in' },
  USER_REFUSED: { message: 'was refused', alone: true, filter: 'User refused' },
  USER_SIGN_IN_FAILED: { message: 'Failed sign-in as', isImpersonal: true, filter: 'Failed sign-in' },
  USER_PASSWORD_CHANGED: { message: 'changed the password', alone: true, filter: 'Password changed' },
  USER_PASSWORD_RESET: { message: 'reset the password', alone: true, filter: 'Password reset' },
  USER_RESET_LINK_CREATED: { message: 'created a password reset link for', filter: 'Reset link created' },
  USER_EMAIL_VERIFIED: { message: 'verified the email address', filter: 'Email address verified' },
  WEBHOOK_CREATED: { message: 'created the webhook', filter: 'Webhook created' },
  WEBHOOK_UPDATED: { message: 'changed the webhook', filter: 'Webhook changed' },
  WEBHOOK_DELETED: { message: 'deleted the webhook', filter: 'Webhook deleted' },
  WEBHOOK_SECRET_ROTATED: { message: 'rotated the secret of the webhook', filter: 'Webhook secret rotated' },
  WEBHOOK_PAUSED: { message: 'paused the webhook', filter: 'Webhook paused' },
  SUPPORT_GRANTED: { message: 'granted support access to', filter: 'Support access granted' },
  OTHER: { message: 'did something this version of the portal does not recognize:', filter: 'Something else' },
  SUPPORT_REVOKED: { message: 'revoked support access from', filter: 'Support access revoked' },
}

type Event = Pick<AuditEvent, 'action' | 'subject'> & Partial<Pick<AuditEvent, 'details'>>

/** What follows the name of who did it, if anybody is known. */
export function inWords({ action, subject, details }: Event): {
  message: string
  subject: string | null
  isImpersonal: boolean
} {
  const { message, alone, isImpersonal = false } = wordsOf(action)
  const count = action === 'API_KEYS_REVOKED' ? idsIn(details ?? '') : 0
  const counted = count === 0 ? message : `revoked ${count === 1 ? '1 API key' : `${count.toLocaleString()} API keys`}:`
  return { message: counted, subject: alone ? null : subject, isImpersonal }
}

const idsIn = (details: string) =>
  /\bkeys ([0-9a-z]{26}(?:, [0-9a-z]{26})*)/.exec(details)?.[1]?.split(', ').length ?? 0

/** A page that was loaded before an upgrade may read an action that it does not know. */
const wordsOf = (action: AuditAction): Words => ACTIONS[action] ?? ACTIONS.OTHER

/** Who did it. */
export function actorInWords({ kind, name }: AuditEvent['actor']): string {
  if (kind === 'API_KEY') return `API key ${name}`
  if (kind === 'SUPPORT') return `${name} (support)`
  return kind === 'SYSTEM' ? `The ${name}` : name
}
