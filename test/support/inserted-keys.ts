import type { ApiKeyTable } from '../../server/db/tables.ts'
import { newId } from '../../server/lib/id.ts'

/** A row for more keys than may be generated, or for one with a past; nobody knows its secret. */
export const keyRow = (
  given: Pick<ApiKeyTable, 'organizationId' | 'label' | 'createdAt' | 'expiresAt'>,
): ApiKeyTable => ({
  ...given,
  id: newId(given.createdAt),
  start: 'emp_000000',
  secretHash: Buffer.from(`${given.organizationId} ${given.label}`),
  createdByKind: 'SYSTEM',
  createdById: null,
  createdByName: 'test',
  lastUsedAt: null,
  lastUsedFrom: null,
  lastUsedAgent: null,
  lastUsedFor: null,
  labelled: 1,
  rules: null,
  replacesId: null,
  replacedById: null,
})
