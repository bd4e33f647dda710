import { AuditEventType } from '../../audit/audit-event.graphql.ts'
import type { AuditEventTable } from '../../db/audit-event-table.ts'
import { builder } from '../../graphql/builder.ts'
import { COST_OF_SEARCH } from '../../graphql/cost.ts'
import { listType, pageArgs } from '../../graphql/list-type.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { type ApiKeyChanges, apiKeyChanges } from './list-changes.ts'

const ApiKeyChangeListType = listType<AuditEventTable, ApiKeyChanges>('ApiKeyChangeList', AuditEventType, 'changes')

builder.objectFields(ApiKeyChangeListType, (t) =>
  plainFields(t, ['READ_ONLY'], {
    'keyCount: Int!':
      'How many keys they are of: the key itself, and the keys that it created, directly or through others.',
    'isComplete: Boolean!':
      'False when the key has more than 10,000 descendants: then the changes of the others are left out.',
  }),
)

builder.queryField('apiKeyChanges', (t) =>
  t.field({
    access: ['READ_ONLY'],
    cost: { own: COST_OF_SEARCH },
    type: ApiKeyChangeListType,
    nullable: true,
    description:
      'What a key and the keys that it created have changed, the newest first: each entry of the audit log with the values before and after. The keys may have been revoked. A check-in is listed only if it brought another firmware version. For an Admin or a key.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the key, which may no longer exist.' }),
      since: t.arg({ type: 'DateTime', description: 'At this time or later. Absent: since the key was generated.' }),
      ...pageArgs(t.arg),
    },
    resolve: (_root, { id, ...args }, ctx) => apiKeyChanges(ctx, id, args),
  }),
)
