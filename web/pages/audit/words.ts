import type { AuditEvent } from '../../api/audit.ts'

interface Words {
  /** After who did it. */
  message: string
  /** Where the subject is the one who did it, or goes without saying. */
  alone?: boolean
  /** In the list of filters. */
  filter: string
}

/** Everything that the log can hold, in the words of the product. */
export const ACTIONS: Readonly<Record<string, Words>> = {
  'api_key.generated': { message: 'generated the API key', filter: 'API key generated' },
  'api_key.paused': { message: 'paused the API key', filter: 'API key paused' },
  'api_key.refused': { message: 'was refused', alone: true, filter: 'API key refused' },
  'api_key.renamed': { message: 'renamed an API key to', filter: 'API key renamed' },
  'api_key.resumed': { message: 'resumed the API key', filter: 'API key resumed' },
  'api_key.revoked': { message: 'revoked the API key', filter: 'API key revoked' },
  'api_key.rotated': { message: 'rotated the API key', filter: 'API key rotated' },
  'api_key.removed': { message: 'removed the expired API key', filter: 'Expired API key removed' },
  'api_key.updated': { message: 'changed the restrictions of the API key', filter: 'API key changed' },
  'api_key.expiry_notified': {
    message: 'sent an expiration warning for the API key',
    filter: 'API key expiration warning',
  },
  'api_keys.revoked': { message: 'revoked several API keys:', filter: 'Several API keys revoked' },
  'api_keys.policy_changed': {
    message: 'changed the API key policy',
    alone: true,
    filter: 'API key policy changed',
  },
  'api_keys.switched_on': { message: 'switched API keys on', alone: true, filter: 'API keys switched on' },
  'api_keys.released': {
    message: 'accepted API keys again after a restore',
    alone: true,
    filter: 'API keys accepted again',
  },
  'database.restored': {
    message: 'found that the database had been restored to an earlier state',
    alone: true,
    filter: 'Database restored',
  },
  'api_keys.switched_off': { message: 'switched API keys off', alone: true, filter: 'API keys switched off' },
  'device.created': { message: 'added the device', filter: 'Device added' },
  'device.updated': { message: 'updated the device', filter: 'Device updated' },
  'device.deleted': { message: 'deleted the device', filter: 'Device deleted' },
  'organization.created': { message: 'created the account', filter: 'Account created' },
  'organization.updated': { message: 'renamed the account to', filter: 'Account renamed' },
  'user.invited': { message: 'invited', filter: 'User invited' },
  'user.joined': { message: 'joined', alone: true, filter: 'User joined' },
  'user.role_changed': { message: 'changed the role of', filter: 'Role changed' },
  'user.removed': { message: 'removed', filter: 'User removed' },
  'user.left': { message: 'left', alone: true, filter: 'User left' },
  'user.signed_in': { message: 'signed in', alone: true, filter: 'Signed in' },
  'user.refused': { message: 'was refused', alone: true, filter: 'User refused' },
  'user.sign_in_failed': { message: 'failed to sign in as', filter: 'Sign-in failed' },
  'user.password_changed': { message: 'changed the password', alone: true, filter: 'Password changed' },
  'user.password_reset': { message: 'reset the password', alone: true, filter: 'Password reset' },
  'user.reset_link_created': { message: 'created a password reset link for', filter: 'Reset link created' },
  'user.email_verified': { message: 'verified the email address', filter: 'Email address verified' },
  'support.granted': { message: 'granted support access to', filter: 'Support access granted' },
  'support.revoked': { message: 'revoked support access from', filter: 'Support access revoked' },
}

/** What follows the name of who did it; an action of another version stands there as it is. */
export function inWords({ action, subject }: Pick<AuditEvent, 'action' | 'subject'>): {
  message: string
  subject: string | null
} {
  const words = ACTIONS[action]
  if (!words) return { message: action, subject }
  return { message: words.message, subject: words.alone ? null : subject }
}

/** Who did it. */
export function actorInWords({ kind, name }: AuditEvent['actor']): string {
  if (kind === 'API_KEY') return `API key ${name}`
  if (kind === 'SUPPORT') return `${name} (support)`
  return kind === 'SYSTEM' ? `The ${name}` : name
}
