import { ADMIN_ONLY, EVERY_ACCESS } from '../caller/key-rules.ts'
import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { text } from '../graphql/domain.ts'
import { listType, pageArgs } from '../graphql/list-type.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import {
  createOrganization,
  currentOrganization,
  listOrganizationsForSupport,
  type Organization,
  updateOrganization,
} from './organization.ts'

const OrganizationKindType = describedEnum('OrganizationKind', 'Whether others can be members.', {
  ORGANIZATION: 'An organization, with any number of members.',
  PERSONAL: 'A personal account: its person is its only member.',
})

export const OrganizationType = builder.objectRef<Organization>('Organization').implement({
  description: 'Devices, people and keys that belong together. A personal account is an organization of one person.',
  fields: (t) => ({
    ...plainFields(t, EVERY_ACCESS, {
      'id: ID!': 'It never changes.',
      'slug: String!':
        'Its name in web addresses and in the `portal-organization` header. Unique, and it never changes.',
      'name: String!': 'Its display name. A personal account has the name of its person.',
      'createdAt: DateTime!': 'When it was created.',
    }),
    kind: t.expose('kind', {
      access: EVERY_ACCESS,
      type: OrganizationKindType,
      description: 'An organization or a personal account.',
    }),
    apiKeysEnabled: t.boolean({
      access: EVERY_ACCESS,
      description: 'Whether API keys can be generated and rotated. Active keys work either way.',
      resolve: (organization) => organization.apiKeysEnabled === 1,
    }),
  }),
})

builder.queryFields((t) => ({
  organization: t.field({
    access: ['READ_ONLY'],
    type: OrganizationType,
    description: 'The organization of the key, or the one that the person has chosen.',
    resolve: (_root, _args, ctx) => currentOrganization(ctx),
  }),
  supportOrganizations: t.field({
    access: ADMIN_ONLY,
    type: listType('OrganizationList', OrganizationType, 'organizations'),
    description: "All organizations and personal accounts of the portal, by name. For the vendor's support alone.",
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({
        isSearch: true,
        ...text(),
        description: 'Those whose name begins with this text, in upper or lower case.',
      }),
    },
    resolve: (_root, args, ctx) => listOrganizationsForSupport(ctx, args),
  }),
}))

const UpdateOrganizationInput = builder.inputType('UpdateOrganizationInput', {
  description: 'Changes of the organization.',
  fields: (t) => ({
    name: t.string({ ...text(), description: '1 to 80 characters. Absent or null: it stays as it is.' }),
  }),
})

builder.mutationFields((t) => ({
  updateOrganization: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: OrganizationType,
    description: 'Changes the name of the organization; its slug stays. For an Admin or a key.',
    args: { input: t.arg({ type: UpdateOrganizationInput, required: true, description: 'What is to change.' }) },
    resolve: (_root, { input }, ctx) => updateOrganization(ctx, input),
  }),
  createOrganization: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
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
}))
