import { builder } from '../graphql/builder.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import {
  createOrganization,
  currentOrganization,
  listOrganizationsForSupport,
  type Organization,
  updateOrganization,
} from './organization.ts'

const OrganizationKindType = builder.enumType('OrganizationKind', { values: ['ORGANIZATION', 'PERSONAL'] as const })

export const OrganizationType = builder.objectRef<Organization>('Organization').implement({
  description: 'Devices, people and keys that belong together. A personal account is one, of one person.',
  fields: (t) => ({
    id: t.exposeID('id'),
    slug: t.exposeString('slug', { description: 'Its name in web addresses.' }),
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: OrganizationKindType }),
    apiKeysEnabled: t.boolean({
      description: 'Whether keys can be generated. Active keys work either way.',
      resolve: (organization) => organization.apiKeysEnabled === 1,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

builder.queryField('organization', (t) =>
  t.field({
    type: OrganizationType,
    description: 'The organization that the key belongs to, or that the person is in.',
    resolve: (_root, _args, ctx) => currentOrganization(ctx),
  }),
)

builder.queryField('supportOrganizations', (t) =>
  t.field({
    type: listType('OrganizationList', OrganizationType),
    description: "All organizations, by name. For the vendor's support alone.",
    args: { ...pageArgs(t.arg), search: t.arg.string({ description: 'How the name begins, in any case.' }) },
    resolve: (_root, args, ctx) => listOrganizationsForSupport(ctx, args),
  }),
)

const UpdateOrganizationInput = builder.inputType('UpdateOrganizationInput', {
  fields: (t) => ({ name: t.string() }),
})

builder.mutationField('updateOrganization', (t) =>
  t.field({
    type: OrganizationType,
    description: 'For an Admin or a key. The slug stays as it is.',
    args: { input: t.arg({ type: UpdateOrganizationInput, required: true }) },
    resolve: (_root, { input }, ctx) => updateOrganization(ctx, input),
  }),
)

builder.mutationField('createOrganization', (t) =>
  t.field({
    type: OrganizationType,
    description: 'For a signed-in person, not for a key. The person is its first Admin; API keys are switched off.',
    args: { name: t.arg.string({ required: true }) },
    resolve: (_root, { name }, ctx) => createOrganization(ctx, name),
  }),
)
