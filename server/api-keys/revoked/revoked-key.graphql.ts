import { ActorType } from '../../audit/audit-event.graphql.ts'
import { builder } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { listType, pageArgs } from '../../graphql/list-type.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import { findRevokedKey, listRevokedKeys, type RevokedApiKey } from './revoked-key.ts'

const RevocationCauseType = describedEnum('ApiKeyRevocationCause', 'What ended a key.', {
  REVOKED: 'Somebody revoked it.',
  UNUSED: 'Somebody revoked all keys that had not been used for some time.',
  ROTATED: 'It was replaced by another key.',
  EXPIRED: 'It had expired, and was removed from the list.',
  POLICY: 'There were more keys than a new policy allows.',
  FEATURE_DISABLED: 'It was revoked when API keys were disabled.',
  LEAKED: 'Its secret was found in public.',
  RESTORED: 'A restored database had brought it back, or the operator did not accept it again.',
})

export const RevokedApiKeyType = builder.objectRef<RevokedApiKey>('RevokedApiKey').implement({
  access: ['READ_ONLY'],
  description: 'A key that is gone for good, as it was in the end.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'The `id` that the key had, as in the audit log.',
      'label: String!': 'What the key was for.',
      'prefix: String!': 'The first ten characters of its secret.',
      'createdAt: DateTime!': 'When it was generated.',
      'lastUsedAt: DateTime':
        'The last call that was recorded before that, which may miss the last seconds. Null: none was.',
      'revokedAt: DateTime!': 'When it was revoked or removed.',
      'reason: String': 'The `reason` that was given with the revoke. Null: none was given.',
    }),
    createdBy: t.field({
      type: ActorType,
      description: 'The person or key that generated it, or the command line.',
      resolve: (key) => ({ kind: key.createdByKind, id: key.createdById, name: key.createdByName }),
    }),
    revokedBy: t.field({
      type: ActorType,
      description: 'The person or key that revoked it, the command line, or the portal itself.',
      resolve: (key) => ({ kind: key.revokedByKind, id: key.revokedById, name: key.revokedByName }),
    }),
    cause: t.expose('cause', { type: RevocationCauseType, description: 'What ended it.' }),
  }),
})

builder.queryFields((t) => ({
  revokedApiKeys: t.field({
    access: ['READ_ONLY'],
    type: listType('RevokedApiKeyList', RevokedApiKeyType, 'revoked API keys'),
    description:
      'Keys of the organization that are gone, the last one first, however they ended, for as long as audit events are stored. Keys that ended before the portal recorded this are in the audit log only. For an Admin or a key, also where API keys are disabled.',
    args: pageArgs(t.arg),
    resolve: (_root, args, ctx) => listRevokedKeys(ctx, args),
  }),
  revokedApiKey: t.field({
    access: ['READ_ONLY'],
    type: RevokedApiKeyType,
    nullable: true,
    description:
      'One key that is gone. One that is not on record, or not in this organization, is null with the error NOT_FOUND. For an Admin or a key.',
    args: { id: t.arg.id({ required: true, description: 'The `id` that the key had.' }) },
    resolve: (_root, { id }, ctx) => findRevokedKey(ctx, id),
  }),
}))
