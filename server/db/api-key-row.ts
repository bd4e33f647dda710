import type { ApiKeyTable } from './tables.ts'

/** The columns for every query that returns keys: the hash of the secret is not among them. */
export const API_KEY_COLUMNS = [
  'id',
  'organizationId',
  'label',
  'prefix',
  'createdAt',
  'createdByKind',
  'createdById',
  'createdByName',
  'lastUsedAt',
  'lastUsedIp',
  'lastUsedUserAgent',
  'lastUsedOperation',
  'expiresAt',
  'pausedUntil',
  'pausedAt',
  'pausedByKind',
  'pausedById',
  'pausedByName',
  'labelled',
  'rules',
  'rulesVersion',
  'replacesId',
  'replacedById',
] as const satisfies Exclude<keyof ApiKeyTable, 'secretHash'>[]

/** Nobody has used, restricted, paused or replaced it. */
const UNUSED = {
  lastUsedAt: null,
  lastUsedIp: null,
  lastUsedUserAgent: null,
  lastUsedOperation: null,
  expiresAt: null,
  labelled: 1,
  rules: null,
  rulesVersion: 1,
  pausedUntil: null,
  pausedAt: null,
  pausedByKind: null,
  pausedById: null,
  pausedByName: null,
  replacesId: null,
  replacedById: null,
} satisfies Partial<ApiKeyTable>

/** The row of a key: with these columns unless something else is given. */
export const apiKeyRow = (given: Omit<ApiKeyTable, keyof typeof UNUSED> & Partial<ApiKeyTable>): ApiKeyTable => ({
  ...UNUSED,
  ...given,
})
