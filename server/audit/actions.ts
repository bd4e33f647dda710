/** Every action of the audit log as it is stored, with its description for the API. */
export const AUDIT_ACTIONS = {
  'api_key.generated': 'A key was generated.',
  'api_key.paused': 'A key was paused.',
  'api_key.refused': 'A key that exists was refused. At most one entry an hour for each reason and source.',
  'api_key.renamed': 'A key got another label.',
  'api_key.resumed': 'A key that was paused is accepted again.',
  'api_key.revoked': 'A key was revoked.',
  'api_key.rotated': 'A key was replaced by a new one.',
  'api_key.removed': 'A key that expired 30 days ago was deleted.',
  'api_key.updated': 'The access or other restrictions of a key were changed, or a policy lets it expire earlier.',
  'api_key.expiry_notified': 'The Admins were notified that a key expires soon.',
  'api_key.leaked': 'A key was revoked because its secret was reported as leaked.',
  'api_keys.revoked': 'Several keys were revoked together.',
  'api_keys.policy_changed': 'The policy for keys was changed.',
  'api_keys.switched_on': 'API keys were enabled.',
  'api_keys.switched_off': 'API keys were disabled.',
  'api_keys.released': 'The operator accepted the keys again after the database had been restored.',
  'canary_key.generated': 'A canary key was generated.',
  'canary_key.deleted': 'A canary key was deleted.',
  'canary_key.used':
    'A call was made with a canary key, and refused. At most one entry an hour for each source, and 20 for a canary key.',
  'canary_key.leaked': 'The secret of a canary key was reported as leaked, for the first time.',
  'database.restored': 'The database was restored to an earlier state.',
  'device.created': 'A device was added.',
  'device.updated': 'A device was changed, by a person, a script, or a check-in with another firmware version.',
  'device.deleted': 'A device was deleted.',
  'device_view.saved': 'A view of the device list was saved for everyone.',
  'device_view.deleted': 'A view of the device list that was saved for everyone was deleted.',
  'organization.created': 'The organization or personal account was created.',
  'organization.updated': 'The organization or personal account was renamed.',
  'user.invited': 'Somebody was invited.',
  'user.joined': 'Somebody became a member.',
  'user.role_changed': 'The role of a member, or of an invitation, was changed.',
  'user.removed': 'A member was removed, or an invitation was withdrawn.',
  'user.left': 'A member left.',
  'user.refused': 'A person was refused what they may not do. At most one entry an hour for each operation and source.',
  'user.signed_in': 'A person signed in.',
  'user.sign_in_failed': 'Somebody failed to sign in with the address of this person.',
  'user.password_changed': 'A person changed the password.',
  'user.password_reset': 'A person set a new password by a link.',
  'user.reset_link_created': 'A link to set a new password was created.',
  'user.email_verified': 'An email address was verified.',
  'webhook.created': 'A webhook was created.',
  'webhook.updated': 'A webhook was changed, disabled or enabled.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.secret_rotated': 'A webhook got another secret.',
  'webhook.paused': 'The portal has paused a webhook that could not be reached.',
  'support.granted': "A person was added to the vendor's support staff.",
  'support.revoked': "A person was removed from the vendor's support staff.",
} as const satisfies Record<string, string>

export type AuditAction = keyof typeof AUDIT_ACTIONS

export const ALL_ACTIONS = Object.keys(AUDIT_ACTIONS) as AuditAction[] // the type of Object.keys does not say which

/** The name of an action outside of the database: `api_key.revoked` is `API_KEY_REVOKED`. */
export const actionName = (action: string) => action.toUpperCase().replaceAll('.', '_')

/** In place of an action that a newer version has stored. */
export const OTHER_ACTION = 'other'

const STORED = new Map<string, AuditAction | typeof OTHER_ACTION>(
  ([...ALL_ACTIONS, OTHER_ACTION] as const).map((action) => [actionName(action), action]),
)

/** The name of a stored action, or that of any other if this version does not know it. */
export function knownName(action: string): string {
  const name = actionName(action)
  return STORED.has(name) ? name : actionName(OTHER_ACTION)
}

export const storedAction = (name: string) => STORED.get(name) ?? OTHER_ACTION
