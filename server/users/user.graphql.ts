import { ADMIN_ONLY, EVERY_ACCESS } from '../caller/key-rules.ts'
import { originOf } from '../config.ts'
import { builder, type RequestCtx } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { inputArg, text } from '../graphql/domain.ts'
import { listType, pageArgs, SortDirectionType } from '../graphql/list-type.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { MAX_EMAIL } from '../lib/check.ts'
import { ACCESS_TO_INVITE, checkInvitation, type Invited, inviteUser } from './invitation.ts'
import { changeUserRole, removeUser } from './membership.ts'
import { listUsers, type Person, updateProfile } from './person.ts'
import type { UserOrderField } from './user-order.ts'

export const RoleType = describedEnum('Role', 'What a person may do in an organization.', {
  ADMIN: 'Everything in the organization.',
  MEMBER: 'Sees devices and people, and changes neither; sees no keys and no audit log.',
})

export const UserType = builder.objectRef<Person>('User').implement({
  description: 'A person in the organization, or invited into it.',
  fields: (t) => ({
    ...plainFields(t, EVERY_ACCESS, {
      'id: ID!': 'The id of the person, or of the invitation until it is accepted.',
      'name: String!': 'For an invited person: the name that was given, or else the email address.',
      'email: String!': 'The email address, in lower case.',
      'invited: Boolean!': 'Whether the invitation is still to be accepted.',
      'createdAt: DateTime!': 'Since when they are a member, or invited.',
    }),
    role: t.expose('role', {
      access: EVERY_ACCESS,
      type: RoleType,
      description: 'What they are in this organization, or will be.',
    }),
  }),
})

const InvitedUserType = builder.objectRef<Invited>('InvitedUser').implement({
  access: ['READ_ONLY'],
  description: 'A new invitation.',
  fields: (t) => ({
    user: t.expose('user', { type: UserType, description: 'The person as the list of users shows them.' }),
    ...plainFields(t, {
      'link: String!': 'For the person who is invited. It works once, for 72 hours, and is shown only here.',
      'emailed: Boolean!':
        'Whether the link was sent to them as well: where the portal has a mail server, unless they got too many invitations in the last hour.',
    }),
  }),
})

export const UserListType = listType('UserList', UserType, 'users')

const UserOrderFieldType = describedEnum<UserOrderField>('UserOrderField', 'What people are sorted by.', {
  NAME: 'Their names, without regard to case.',
  ROLE: 'Their roles, Admins before Members.',
  CREATED_AT: 'When they joined or were invited.',
})

const UserOrderInput = builder.inputType('UserOrder', {
  description: 'The order of people. Those with equal values are in the order of their ids; by `ROLE`, of their names.',
  fields: (t) => ({
    field: t.field({ type: UserOrderFieldType, required: true, description: 'What they are sorted by.' }),
    direction: t.field({ type: SortDirectionType, defaultValue: 'ASC', description: 'Which comes first.' }),
  }),
})

builder.queryField('users', (t) =>
  t.field({
    access: ['READ_ONLY'],
    type: UserListType,
    description:
      'The members of the organization and those who are invited, in the order in which they joined or were invited unless another one is given.',
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({
        isSearch: true,
        ...text(MAX_EMAIL),
        description: 'Those whose name or email address begins with this text, in upper or lower case.',
      }),
      orderBy: t.arg({
        isSearch: true,
        type: UserOrderInput,
        description:
          'Absent: in the order in which they joined or were invited. A cursor belongs to the order that it was given in.',
      }),
    },
    resolve: (_root, args, ctx) => listUsers(ctx, args),
  }),
)

const InviteUserInput = builder.inputType('InviteUserInput', {
  description: 'The person to invite.',
  fields: (t) => ({
    email: t.string({
      ...text(MAX_EMAIL),
      required: true,
      description: 'The email address; a member who has it already is a CONFLICT.',
    }),
    name: t.string({ ...text(), description: '1 to 80 characters, shown until they accept.' }),
    role: t.field({ type: RoleType, defaultValue: 'MEMBER', description: 'What they will be in the organization.' }),
  }),
})

const linkDependencies = ({ originConfig, emailEncryption }: RequestCtx) => ({
  origin: originOf(originConfig),
  emailEncryption,
})

builder.mutationFields((t) => ({
  inviteUser: t.field({
    access: ACCESS_TO_INVITE,
    effect: 'GIVES_SECRET',
    type: InvitedUserType,
    description:
      'Invites somebody by a link, which is sent to them as well where the portal has a mail server. Inviting an address again creates a new link, and the old one no longer works. For an Admin or a key.',
    args: {
      input: inputArg(t.arg, InviteUserInput, 'The person to invite.', checkInvitation),
    },
    resolve: (_root, { input }, ctx) => inviteUser(ctx, { ...input, ...linkDependencies(ctx) }),
  }),
  changeUserRole: t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    type: UserType,
    description:
      'Changes the role of a member, or the one that an invitation gives. The last Admin stays one. When an invitation that a key created is raised to Admin, its link ends: a new one is sent where the portal has a mail server, and inviting the address again returns one. For an Admin or a key.',
    args: {
      userId: t.arg.id({ required: true, description: 'The `id` of the user, invited or not.' }),
      role: t.arg({ type: RoleType, required: true, description: 'The new role.' }),
    },
    resolve: (_root, { userId, role }, ctx) => changeUserRole(ctx, userId, role, linkDependencies(ctx)),
  }),
  removeUser: t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    type: 'ID',
    description:
      'Removes a member or withdraws an invitation, and returns the id. Keys that the person created stay. For an Admin or a key; anyone may remove themselves.',
    args: { userId: t.arg.id({ required: true, description: 'The `id` of the user, invited or not.' }) },
    resolve: (_root, { userId }, ctx) => removeUser(ctx, userId),
  }),
  updateProfile: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: UserType,
    description:
      "Changes the person's own name, and that of the personal account with it. For a signed-in person, not for a key.",
    args: { name: t.arg.string({ ...text(), required: true, description: '1 to 80 characters.' }) },
    resolve: (_root, { name }, ctx) => updateProfile(ctx, name),
  }),
}))
