import { builder } from '../graphql/builder.ts'
import { pageArgs } from '../graphql/list-type.ts'
import { UserListType } from '../users/user.graphql.ts'
import { ApiKeyType } from './api-key.graphql.ts'
import { listInvitedUsers } from './invited-users.ts'

builder.objectField(ApiKeyType, 'invitedUsers', (t) =>
  t.field({
    access: ['READ_ONLY'],
    type: UserListType,
    description:
      'The people invited by it, in the order in which they joined or were invited. When the key is revoked or expires, its open invitations are withdrawn; people who have accepted stay members.',
    args: {
      ...pageArgs(t.arg),
      includeDescendants: t.arg.boolean({
        isSearch: true,
        description:
          'Also those invited by the keys that it generated, directly or through others. Costs 500 when given.',
      }),
    },
    resolve: ({ id }, args, ctx) => listInvitedUsers(ctx, id, args),
  }),
)
