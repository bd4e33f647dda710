import type { AuditEvent } from '../../api/audit.ts'

interface Words {
  /** After who did it. */
  says: string
  /** Where the subject is the one who did it, or goes without saying. */
  alone?: boolean
  /** In the list of filters. */
  filter: string
}

/** Everything that the log can hold, in the words of the product. */
export const ACTIONS: Readonly<Record<string, Words>> = {
  'api_key.generated': { says: 'generated the API key', filter: 'API key generated' },
  'api_key.refused': { says: 'was refused', alone: true, filter: 'API key refused' },
  'api_key.renamed': { says: 'renamed an API key to', filter: 'API key renamed' },
  'api_key.revoked': { says: 'revoked the API key', filter: 'API key revoked' },
  'api_key.rotated': { says: 'replaced the API key', filter: 'API key replaced' },
  'api_key.removed': { says: 'removed the API key, which had ended:', filter: 'API key removed after its end' },
  'api_key.end_announced': { says: 'warned of the end of the API key', filter: 'End of an API key announced' },
  'api_keys.revoked': { says: 'revoked several API keys:', filter: 'Several API keys revoked' },
  'api_keys.policy_changed': { says: 'changed the rules for API keys', alone: true, filter: 'Rules for keys changed' },
  'api_keys.switched_on': { says: 'switched API keys on', alone: true, filter: 'API keys switched on' },
  'api_keys.switched_off': { says: 'switched API keys off', alone: true, filter: 'API keys switched off' },
  'device.created': { says: 'added the device', filter: 'Device added' },
  'device.updated': { says: 'changed the device', filter: 'Device changed' },
  'device.deleted': { says: 'deleted the device', filter: 'Device deleted' },
  'organization.created': { says: 'created the account', filter: 'Account created' },
  'organization.updated': { says: 'renamed the account to', filter: 'Account renamed' },
  'user.invited': { says: 'invited', filter: 'User invited' },
  'user.joined': { says: 'joined', alone: true, filter: 'User joined' },
  'user.role_changed': { says: 'changed the role of', filter: 'Role changed' },
  'user.removed': { says: 'removed', filter: 'User removed' },
  'user.left': { says: 'left', alone: true, filter: 'User left' },
  'user.signed_in': { says: 'signed in', alone: true, filter: 'Signed in' },
  'user.sign_in_failed': { says: 'failed to sign in as', filter: 'Failed to sign in' },
  'user.password_changed': { says: 'changed the password', alone: true, filter: 'Password changed' },
  'user.password_reset': { says: 'set a new password by a reset link', alone: true, filter: 'Password reset' },
  'user.reset_link_made': { says: 'made a password reset link for', filter: 'Reset link made' },
  'user.email_verified': { says: 'confirmed the email address', filter: 'Email address confirmed' },
  'support.granted': { says: 'gave support rights to', filter: 'Support rights given' },
  'support.revoked': { says: 'took support rights from', filter: 'Support rights taken' },
}

/** What follows the name of who did it; an action of another version stands there as it is. */
export function inWords({ action, subject }: AuditEvent): { says: string; subject: string | null } {
  const words = ACTIONS[action]
  if (!words) return { says: action, subject }
  return { says: words.says, subject: words.alone ? null : subject }
}

/** Who did it. */
export function actorInWords({ kind, name }: AuditEvent['actor']): string {
  if (kind === 'API_KEY') return `API key ${name}`
  if (kind === 'SUPPORT') return `${name} (support)`
  return kind === 'SYSTEM' ? `The ${name}` : name
}
