import { ApiKeyType } from '../api-keys/api-key.graphql.ts'
import { findApiKey } from '../api-keys/api-key.ts'
import type { Caller } from '../caller/ctx.ts'
import { EVERY_ACCESS } from '../caller/key-rules.ts'
import { builder } from '../graphql/builder.ts'
import { OrganizationType } from '../organizations/organization.graphql.ts'
import { currentOrganization, enterableOrganizations, MAX_ENTERABLE } from '../organizations/organization.ts'
import { findPerson } from '../users/person.ts'
import { RoleType, UserType } from '../users/user.graphql.ts'
import { isEmailVerified } from '../users/verified-email.ts'

const ViewerType = builder.objectRef<Caller>('Viewer').implement({
  description: 'Who is calling, and in which organization.',
  fields: (t) => ({
    user: t.field({
      access: EVERY_ACCESS,
      cost: { own: 10 },
      type: UserType,
      nullable: true,
      description: 'The person, when a person is signed in. Null for a key.',
      resolve: (caller, _args, ctx) => (caller.kind === 'USER' ? findPerson(ctx, caller.userId) : null),
    }),
    apiKey: t.field({
      access: EVERY_ACCESS,
      type: ApiKeyType,
      nullable: true,
      description: 'The key, when a script calls with one. Null for a person.',
      resolve: (caller, _args, ctx) => (caller.kind === 'API_KEY' ? findApiKey(ctx, caller.keyId) : null),
    }),
    organization: t.field({
      access: EVERY_ACCESS,
      type: OrganizationType,
      description: 'The organization of the key, or the one that the person has chosen.',
      resolve: (_caller, _args, ctx) => currentOrganization(ctx),
    }),
    emailVerified: t.boolean({
      access: EVERY_ACCESS,
      nullable: true,
      description:
        'Whether the signed-in person has verified their email address. Where the portal sends email, a person with an unverified address cannot generate or rotate keys. Null for a key.',
      resolve: (caller, _args, ctx) => (caller.kind === 'USER' ? isEmailVerified(ctx, caller.userId) : null),
    }),
    role: t.expose('role', {
      access: EVERY_ACCESS,
      type: RoleType,
      description: 'What the caller is in that organization. A key is ADMIN, as far as its `access` goes.',
    }),
    support: t.boolean({
      access: EVERY_ACCESS,
      description: "Whether the caller is one of the vendor's support staff.",
      resolve: (caller) => caller.kind === 'USER' && caller.support,
    }),
    organizations: t.field({
      access: EVERY_ACCESS,
      cost: { maxItems: MAX_ENTERABLE },
      type: [OrganizationType],
      description:
        'The organizations that a signed-in person may enter, the personal account first. For a key: its own alone.',
      resolve: (_caller, _args, ctx) => enterableOrganizations(ctx),
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    access: EVERY_ACCESS,
    type: ViewerType,
    description: 'Who is calling, and in which organization: a cheap way for a script to test its key.',
    resolve: (_root, _args, ctx) => ctx.caller,
  }),
)
