import { ActorType } from '../../audit/audit-event.graphql.ts'
import { builder } from '../../graphql/builder.ts'
import { listType, pageArgs } from '../../graphql/list.ts'
import { listRevokedKeys, type RevokedApiKey } from './revoked-key.ts'

const RevocationCauseType = builder.enumType('ApiKeyRevocationCause', {
  description: 'What ended a key.',
  values: {
    REVOKED: { description: 'Somebody revoked it.' },
    UNUSED: { description: 'Somebody revoked all keys that had not been used for some time.' },
    ROTATED: { description: 'It was replaced by another key.' },
    EXPIRED: { description: 'It had expired, and was removed from the list.' },
    POLICY: { description: 'There were more keys than a new policy allows.' },
    FEATURE_DISABLED: { description: 'It was revoked when API keys were disabled.' },
    LEAKED: { description: 'Its secret was found in public.' },
    RESTORED: { description: 'A restored database had brought it back, or the operator did not accept it again.' },
  } as const,
})

export const RevokedApiKeyType = builder.objectRef<RevokedApiKey>('RevokedApiKey').implement({
  description: 'A key that is gone for good, as it was in the end.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The `id` that the key had, as in the audit log.' }),
    label: t.exposeString('label', { description: 'What the key was for.' }),
    prefix: t.exposeString('prefix', { description: 'The first ten characters of its secret.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was generated.' }),
    createdBy: t.field({
      type: ActorType,
      description: 'The person or key that generated it, or the command line.',
      resolve: (key) => ({ kind: key.createdByKind, id: key.createdById, name: key.createdByName }),
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last call that was recorded before that, which may miss the last seconds. Null: none was.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', description: 'When it was revoked or removed.' }),
    revokedBy: t.field({
      type: ActorType,
      description: 'The person or key that revoked it, the command line, or the portal itself.',
      resolve: (key) => ({ kind: key.revokedByKind, id: key.revokedById, name: key.revokedByName }),
    }),
    cause: t.expose('cause', { type: RevocationCauseType, description: 'What ended it.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The `reason` that was given with the revoke. Null: none was given.',
    }),
  }),
})

builder.queryField('revokedApiKeys', (t) =>
  t.field({
    type: listType('RevokedApiKeyList', RevokedApiKeyType, 'revoked API keys'),
    description:
      'Keys of the organization that are gone, the last one first, however they ended, for as long as audit events are stored. Keys that ended before the portal recorded this are in the audit log only. For an Admin or a key, also where API keys are disabled.',
    args: pageArgs(t.arg),
    resolve: (_root, args, ctx) => listRevokedKeys(ctx, args),
  }),
)
