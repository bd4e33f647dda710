import { ADMIN_ONLY } from '../caller/key-rules.ts'
import { LIMITS } from '../config/limits.ts'
import { builder } from '../graphql/builder.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { listSessions, revokeOtherSessions, revokeSession, type Session } from './session.ts'

const SessionType = builder.objectRef<Session>('Session').implement({
  description: 'A browser in which the person is signed in.',
  fields: (t) =>
    plainFields(t, ['READ_ONLY'], {
      'id: ID!': 'Give it to `revokeSession`.',
      'createdAt: DateTime!': 'When the person signed in.',
      'lastSeenAt: DateTime!': 'The last request in this session. Up to a minute and some seconds old.',
      'expiresAt: DateTime!': 'When it expires: 7 days after sign-in, or earlier after 12 hours without use.',
      'address: String!': 'The IP address at sign-in.',
      'userAgent: String!': 'The `User-Agent` header at sign-in, at most 200 characters. Empty when there was none.',
      'current: Boolean!': 'Whether it is the session of this request.',
    }),
})

builder.queryField('sessions', (t) =>
  t.field({
    access: ADMIN_ONLY,
    cost: { maxItems: LIMITS.sessions_of_person },
    type: [SessionType],
    description:
      'The sessions in which the person is signed in, the newest first, at most 100. For a signed-in person, not for a key.',
    resolve: (_root, _args, ctx) => listSessions(ctx),
  }),
)

builder.mutationFields((t) => ({
  revokeSession: t.field({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    type: 'ID',
    description:
      "Revokes one of the person's own sessions, from its next request on, and returns its id. For a signed-in person, not for a key.",
    args: { id: t.arg.id({ required: true, description: 'The `id` of the session.' }) },
    resolve: (_root, { id }, ctx) => revokeSession(ctx, id),
  }),
  revokeOtherSessions: t.int({
    access: ADMIN_ONLY,
    effect: 'ENDS_ACCESS',
    description:
      "Revokes all of the person's sessions but this one, and returns how many. For a signed-in person, not for a key.",
    resolve: (_root, _args, ctx) => revokeOtherSessions(ctx),
  }),
}))
