import { ADMIN_ONLY } from '../../caller/key-rules.ts'
import { originOf } from '../../config.ts'
import { builder } from '../../graphql/builder.ts'
import { secretText } from '../../graphql/domain.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { CanaryApiKeyType } from '../canary/canary.graphql.ts'
import { apiKeyBySecret, type ReportedLeak, reportLeakedKey } from './report-by-person.ts'

const MAX_SECRET_LENGTH = 200
const MAX_URL_LENGTH = 2000

const ReportedLeakType = builder.objectRef<ReportedLeak>('ReportedLeak').implement({
  access: ['READ_ONLY'],
  description: 'What became of a secret that was reported as leaked.',
  fields: (t) => ({
    revoked: t.exposeBoolean('revoked', {
      description:
        'Whether a key had this secret and is revoked now: no request that starts from now on is accepted with it. False: no key has it, be it that it was revoked before.',
    }),
    apiKey: t.field({
      type: ApiKeyType,
      nullable: true,
      description: 'The key as it was. Null unless it belonged to the organization and the caller is an Admin there.',
      resolve: ({ apiKey }) => apiKey,
    }),
    canaryApiKey: t.field({
      type: CanaryApiKeyType,
      nullable: true,
      description:
        'The canary key with this secret. Null unless it belongs to the organization and the caller is an Admin there.',
      resolve: ({ canaryApiKey }) => canaryApiKey,
    }),
    descendantCount: t.int({
      description: 'How many keys that it generated exist and are not revoked. 0 where `apiKey` is null.',
      resolve: ({ descendants }) => descendants,
    }),
    durable: t.boolean({
      description:
        'Whether this is also on record outside of the database, so that a restored backup does not bring the key back. If false it is revoked all the same, and the portal writes the record as soon as it can.',
      resolve: ({ receipt }) => receipt.durable,
    }),
  }),
})

builder.queryField('apiKeyBySecret', (t) =>
  t.field({
    access: ADMIN_ONLY,
    cost: { own: 100 },
    type: ApiKeyType,
    nullable: true,
    description:
      'The key of the organization that has this secret, to be sure before it is reported as leaked. Null: no key of the organization has it. For a person who is an Admin. Send the secret as a variable.',
    args: {
      secret: t.arg.string({ ...secretText(MAX_SECRET_LENGTH), required: true, description: 'The whole secret.' }),
    },
    resolve: (_root, { secret }, ctx) => apiKeyBySecret(ctx, secret),
  }),
)

builder.mutationField('reportLeakedApiKey', (t) =>
  t.field({
    access: ADMIN_ONLY,
    effect: 'TAKES_SECRET',
    cost: { own: 200 },
    type: ReportedLeakType,
    description:
      'Revokes the key that has this secret, at once and for good, whichever organization it belongs to, and notifies the Admins there. Keys that it generated are not revoked. For a signed-in person: to have the secret is enough. Send the secret as a variable.',
    args: {
      secret: t.arg.string({ ...secretText(MAX_SECRET_LENGTH), required: true, description: 'The whole secret.' }),
      url: t.arg.string({
        ...secretText(MAX_URL_LENGTH),
        description: 'Where it was found, at most 2,000 characters. The Admins see it; a secret in it is left out.',
      }),
    },
    resolve: (_root, { secret, url }, ctx) => reportLeakedKey(ctx, { secret, url, origin: originOf(ctx.originConfig) }),
  }),
)
