import { builder } from '../graphql/builder.ts'
import { costs } from '../graphql/cost.ts'
import { listSessions, revokeOtherSessions, revokeSession, type Session } from './session.ts'

const SessionType = builder.objectRef<Session>('Session').implement({
  description: 'A browser in which the person is signed in.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Give it to `revokeSession`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person signed in.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      description: 'The last request in this session. Up to a minute and some seconds old.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it expires: 7 days after sign-in, or earlier after 12 hours without use.',
    }),
    address: t.exposeString('address', { description: 'The IP address at sign-in.' }),
    userAgent: t.exposeString('userAgent', {
      description: 'The `User-Agent` header at sign-in, at most 200 characters. Empty when there was none.',
    }),
    current: t.exposeBoolean('current', { description: 'Whether it is the session of this request.' }),
  }),
})

builder.queryField('sessions', (t) =>
  t.field({
    ...costs({ maxItems: 100 }),
    type: [SessionType],
    description:
      'The sessions in which the person is signed in, the newest first, at most 100. For a signed-in person, not for a key.',
    resolve: (_root, _args, ctx) => listSessions(ctx),
  }),
)

builder.mutationField('revokeSession', (t) =>
  t.field({
    type: 'ID',
    description:
      "Revokes one of the person's own sessions, from its next request on, and returns its id. For a signed-in person, not for a key.",
    args: { id: t.arg.id({ required: true, description: 'The `id` of the session.' }) },
    resolve: (_root, { id }, ctx) => revokeSession(ctx, id),
  }),
)

builder.mutationField('revokeOtherSessions', (t) =>
  t.int({
    description:
      "Revokes all of the person's sessions but this one, and returns how many. For a signed-in person, not for a key.",
    resolve: (_root, _args, ctx) => revokeOtherSessions(ctx),
  }),
)
