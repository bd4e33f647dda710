import type { Step } from '../migration-steps.ts'

export const name = 'columns, tables and rules of a policy by the names that the field has for them'

const RULES = {
  endRequired: 'expiryRequired',
  longestLifeDays: 'maxLifetimeDays',
  keysManageKeys: 'allowKeyManagement',
  refuseBrowsers: 'rejectBrowsers',
}

const policy = Object.entries(RULES).reduce(
  (text, [before, after]) => `replace(${text}, '"${before}"', '"${after}"')`,
  '"apiKeyPolicy"',
)

export const up = (): Step[] => [
  `
alter table "apiKey" rename column "start" to "prefix";
alter table "apiKey" rename column "lastUsedFrom" to "lastUsedIp";
alter table "apiKey" rename column "lastUsedAgent" to "lastUsedUserAgent";
alter table "apiKey" rename column "lastUsedFor" to "lastUsedOperation";
alter table "mail" rename column "trouble" to "lastError";
alter table "mail" rename to "email"
`,
  { table: 'organization', set: `"apiKeyPolicy" = ${policy}`, where: '"apiKeyPolicy" is not null' },
]
