import { builder } from '../graphql/builder.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import { inviteUser } from './invitation.ts'
import { changeUserRole, removeUser } from './membership.ts'
import { listUsers, type Person } from './person.ts'
import { updateProfile } from './profile.ts'

export const RoleType = builder.enumType('Role', {
  description: 'An Admin may do everything in the organization. A Member sees devices and people, and changes neither.',
  values: ['ADMIN', 'MEMBER'] as const,
})

export const UserType = builder.objectRef<Person>('User').implement({
  description: 'A person in the organization, or invited into it.',
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    email: t.exposeString('email'),
    role: t.expose('role', { type: RoleType, description: 'In this organization.' }),
    invited: t.exposeBoolean('invited', { description: 'The invitation is not accepted yet.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when they are in, or invited.' }),
  }),
})

const InvitedUserType = builder.objectRef<{ user: Person; link: string }>('InvitedUser').implement({
  description: 'The link works once, for 72 hours, and is shown only here.',
  fields: (t) => ({
    user: t.expose('user', { type: UserType }),
    link: t.exposeString('link', { description: 'Hand it to the person.' }),
  }),
})

builder.queryField('users', (t) =>
  t.field({
    type: listType('UserList', UserType),
    description: 'The people of the organization and those invited into it, the longest there first.',
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({ description: 'How the name or the e-mail address begins, in any case.' }),
    },
    resolve: (_root, args, ctx) => listUsers(ctx, args),
  }),
)

const InviteUserInput = builder.inputType('InviteUserInput', {
  fields: (t) => ({
    email: t.string({ required: true }),
    name: t.string({ description: 'What to show until they say it themselves.' }),
    role: t.field({ type: RoleType, defaultValue: 'MEMBER' }),
  }),
})

builder.mutationField('inviteUser', (t) =>
  t.field({
    type: InvitedUserType,
    description:
      'For an Admin or a key. Inviting an address again makes a fresh link and kills the old one. It is sent by mail too, where there is a mail server.',
    args: { input: t.arg({ type: InviteUserInput, required: true }) },
    resolve: (_root, { input }, ctx) => inviteUser(ctx, { ...input, baseUrl: ctx.baseUrl, mailSeal: ctx.mailSeal }),
  }),
)

builder.mutationField('changeUserRole', (t) =>
  t.field({
    type: UserType,
    description: 'For an Admin or a key. The last Admin stays one.',
    args: { userId: t.arg.id({ required: true }), role: t.arg({ type: RoleType, required: true }) },
    resolve: (_root, { userId, role }, ctx) => changeUserRole(ctx, userId, role),
  }),
)

builder.mutationField('removeUser', (t) =>
  t.field({
    type: 'ID',
    description: 'For an Admin or a key: removes a member or withdraws an invitation. Anyone may remove themselves.',
    args: { userId: t.arg.id({ required: true }) },
    resolve: (_root, { userId }, ctx) => removeUser(ctx, userId),
  }),
)

builder.mutationField('updateProfile', (t) =>
  t.field({
    type: UserType,
    description: 'For a signed-in person, not for a key. Renames the personal account along.',
    args: { name: t.arg.string({ required: true }) },
    resolve: (_root, { name }, ctx) => updateProfile(ctx, name),
  }),
)
