import { builder } from '../graphql/builder.ts'
import { pageArgs } from '../graphql/list.ts'
import { listInvitedUsers } from '../users/invited-users.ts'
import { UserListType } from '../users/user.graphql.ts'
import { ApiKeyType } from './api-key.graphql.ts'

builder.objectField(ApiKeyType, 'invitedUsers', (t) =>
  t.field({
    type: UserListType,
    description:
      'The people whom it invited, in the order in which they joined or were invited. When the key is revoked or expires, invitations that are still open end with it; whoever has accepted stays a member.',
    args: {
      ...pageArgs(t.arg),
      includeDescendants: t.arg.boolean({
        description: 'Also those whom the keys invited that it made, directly or through others. Costs 500 when given.',
      }),
    },
    resolve: ({ id }, args, ctx) => listInvitedUsers(ctx, id, args),
  }),
)
