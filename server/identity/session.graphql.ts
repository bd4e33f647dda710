import { builder } from '../graphql/builder.ts'
import { costs } from '../graphql/cost.ts'
import { endOtherSessions, endSession, listSessions, type Session } from './session.ts'

const SessionType = builder.objectRef<Session>('Session').implement({
  description: 'A browser in which the person is signed in.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Give it to `endSession`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person signed in.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      description: 'The last request in this session. Up to a minute and some seconds old.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it ends at the latest, 7 days after sign-in. Unused, it ends after 12 hours.',
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

builder.mutationField('endSession', (t) =>
  t.field({
    type: 'ID',
    description:
      "Ends one of the person's own sessions, from its next request on, and answers its id. For a signed-in person, not for a key.",
    args: { id: t.arg.id({ required: true, description: 'The `id` of the session.' }) },
    resolve: (_root, { id }, ctx) => endSession(ctx, id),
  }),
)

builder.mutationField('endOtherSessions', (t) =>
  t.int({
    description:
      "Ends all of the person's sessions but this one, and answers how many. For a signed-in person, not for a key.",
    resolve: (_root, _args, ctx) => endOtherSessions(ctx),
  }),
)
