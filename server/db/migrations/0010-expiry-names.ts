import type { Step } from '../migration-steps.ts'

export const name = 'expiry notifications, encrypted emails and audit actions by the words of the glossary'

const ACTIONS = {
  'api_key.end_announced': 'api_key.expiry_notified',
  'user.reset_link_made': 'user.reset_link_created',
}

export const up = (): Step[] => [
  `
alter table "apiKeyWarning" rename to "apiKeyExpiryNotification";
alter table "email" rename column "sealed" to "encrypted"
`,
  { table: 'email', set: `"kind" = 'KEY_EXPIRY'`, where: `"kind" = 'KEY_ENDS'` },
  ...Object.entries(ACTIONS).map(([before, after]) => ({
    table: 'auditEvent',
    set: `"action" = '${after}'`,
    where: `"action" = '${before}'`,
  })),
]
