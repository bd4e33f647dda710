import { builder } from '../graphql/builder.ts'
import { text } from '../graphql/domain.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import {
  createOrganization,
  currentOrganization,
  listOrganizationsForSupport,
  type Organization,
  updateOrganization,
} from './organization.ts'

const OrganizationKindType = builder.enumType('OrganizationKind', {
  description: 'Whether others can be members.',
  values: {
    ORGANIZATION: { description: 'An organization, with any number of members.' },
    PERSONAL: { description: 'A personal account: its person is its only member.' },
  } as const,
})

export const OrganizationType = builder.objectRef<Organization>('Organization').implement({
  description: 'Devices, people and keys that belong together. A personal account is an organization of one person.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'It never changes.' }),
    slug: t.exposeString('slug', {
      description: 'Its name in web addresses and in the `portal-organization` header. Unique, and it never changes.',
    }),
    name: t.exposeString('name', {
      description: 'Its display name. A personal account has the name of its person.',
    }),
    kind: t.expose('kind', { type: OrganizationKindType, description: 'An organization or a personal account.' }),
    apiKeysEnabled: t.boolean({
      description: 'Whether API keys can be generated and rotated. Active keys work either way.',
      resolve: (organization) => organization.apiKeysEnabled === 1,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
})

builder.queryField('organization', (t) =>
  t.field({
    type: OrganizationType,
    description: 'The organization of the key, or the one that the person has chosen.',
    resolve: (_root, _args, ctx) => currentOrganization(ctx),
  }),
)

builder.queryField('supportOrganizations', (t) =>
  t.field({
    type: listType('OrganizationList', OrganizationType, 'organizations'),
    description: "All organizations and personal accounts of the portal, by name. For the vendor's support alone.",
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({
        ...text(),
        description: 'Those whose name begins with this text, in upper or lower case.',
      }),
    },
    resolve: (_root, args, ctx) => listOrganizationsForSupport(ctx, args),
  }),
)

const UpdateOrganizationInput = builder.inputType('UpdateOrganizationInput', {
  description: 'Changes of the organization.',
  fields: (t) => ({
    name: t.string({ ...text(), description: '1 to 80 characters. Absent or null: it stays as it is.' }),
  }),
})

builder.mutationField('updateOrganization', (t) =>
  t.field({
    type: OrganizationType,
    description: 'Changes the name of the organization; its slug stays. For an Admin or a key.',
    args: { input: t.arg({ type: UpdateOrganizationInput, required: true, description: 'What is to change.' }) },
    resolve: (_root, { input }, ctx) => updateOrganization(ctx, input),
  }),
)

builder.mutationField('createOrganization', (t) =>
  t.field({
    type: OrganizationType,
    description:
      'Creates an organization, of which the person is the first Admin; API keys are disabled. For a signed-in person, not for a key.',
    args: {
      name: t.arg.string({
        ...text(),
        required: true,
        description: '1 to 80 characters. The slug is derived from it.',
      }),
    },
    resolve: (_root, { name }, ctx) => createOrganization(ctx, name),
  }),
)
