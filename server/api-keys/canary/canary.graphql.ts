import { ActorType } from '../../audit/audit-event.graphql.ts'
import { ADMIN_ONLY } from '../../caller/key-rules.ts'
import { LIMITS } from '../../config/limits.ts'
import { builder } from '../../graphql/builder.ts'
import { text } from '../../graphql/domain.ts'
import { plainFields } from '../../graphql/plain-fields.ts'
import {
  type CanaryApiKey,
  deleteCanaryApiKey,
  type GeneratedCanaryApiKey,
  generateCanaryApiKey,
  listCanaryApiKeys,
} from './canary.ts'

export const CanaryApiKeyType = builder.objectRef<CanaryApiKey>('CanaryApiKey').implement({
  access: ['READ_ONLY'],
  description:
    'A key that is never accepted. Put its secret where nobody should read: a call with it is refused as with any unknown key, and the Admins are notified.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'It reveals nothing about the secret, and may be shown and logged.',
      'label: String!': 'Where the canary key is.',
      'prefix: String!': 'The first ten characters of the secret.',
      'createdAt: DateTime!': 'When it was generated.',
      'lastUsedAt: DateTime': 'When it was last used. Null: it was never used.',
      'lastUsedIp: String': 'The IP address of the last call. Null: it was never used.',
      'lastUsedUserAgent: String':
        'The `User-Agent` header of the last call, at most 200 characters; empty when there was none. Null: it was never used.',
      'leakedAt: DateTime': 'When its secret was first reported as found somewhere. Null: it was not.',
    }),
    createdBy: t.field({
      type: ActorType,
      description: 'The person or key that generated it, or the command line, with the name of that time.',
      resolve: (canary) => ({ kind: canary.createdByKind, id: canary.createdById, name: canary.createdByName }),
    }),
    calls: t.int({
      description: 'How many calls were made with it. All of them were refused.',
      resolve: ({ calls }) => Math.min(calls, 2 ** 31 - 1),
    }),
  }),
})

const GeneratedCanaryApiKeyType = builder.objectRef<GeneratedCanaryApiKey>('GeneratedCanaryApiKey').implement({
  access: ['READ_ONLY'],
  description: 'A new canary key with its secret, which is shown nowhere else.',
  fields: (t) => ({
    canaryApiKey: t.expose('canaryApiKey', { type: CanaryApiKeyType, description: 'The canary key.' }),
    secret: t.exposeString('secret', {
      description: 'What to put where nobody should read it. The portal keeps only a hash of it.',
    }),
  }),
})

builder.queryField('canaryApiKeys', (t) =>
  t.field({
    access: ADMIN_ONLY, // whoever steals a key that only reads must not learn which other keys are canaries
    cost: { maxItems: LIMITS.canary_keys },
    type: [CanaryApiKeyType],
    description:
      'The canary keys of the organization, the newest first, at most 50. For an Admin or a key that may manage keys, also where API keys are disabled.',
    resolve: (_root, _args, ctx) => listCanaryApiKeys(ctx),
  }),
)

builder.mutationFields((t) => ({
  generateCanaryApiKey: t.field({
    access: ADMIN_ONLY,
    effect: 'GIVES_SECRET',
    type: GeneratedCanaryApiKeyType,
    description:
      'Generates a canary key. It is never accepted, and does not count as an active key. For an Admin or a key that may manage keys, where API keys are enabled.',
    args: { label: t.arg.string({ ...text(), required: true, description: 'Where you put it, 1 to 80 characters.' }) },
    resolve: (_root, { label }, ctx) => generateCanaryApiKey(ctx, label),
  }),
  deleteCanaryApiKey: t.id({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    description:
      'Deletes a canary key, and returns its id: from then on nobody is notified when it is used. For an Admin or a key that may manage keys.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the canary key.' }) },
    resolve: (_root, { id }, ctx) => deleteCanaryApiKey(ctx, id),
  }),
}))
