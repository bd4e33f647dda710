import { builder } from '../graphql/builder.ts'
import { endOtherSessions, endSession, listSessions, type Session } from './session.ts'

const SessionType = builder.objectRef<Session>('Session').implement({
  description: 'A browser in which the person is signed in.',
  fields: (t) => ({
    id: t.exposeID('id'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person signed in.' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', description: 'Up to a minute old.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it ends at the latest; unused, after 12 hours.',
    }),
    address: t.exposeString('address', { description: 'The network address at sign-in.' }),
    userAgent: t.exposeString('userAgent', { description: 'What the browser called itself.' }),
    current: t.exposeBoolean('current', { description: 'It is the one that asks.' }),
  }),
})

builder.queryField('sessions', (t) =>
  t.field({
    type: [SessionType],
    description: 'Where the person is signed in, the newest first. For a signed-in person, not for a key.',
    resolve: (_root, _args, ctx) => listSessions(ctx),
  }),
)

builder.mutationField('endSession', (t) =>
  t.field({
    type: 'ID',
    description: 'Ends one of the own sessions. For a signed-in person, not for a key.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, ctx) => endSession(ctx, id),
  }),
)

builder.mutationField('endOtherSessions', (t) =>
  t.int({
    description: 'Ends all own sessions but this one; answers how many. For a signed-in person, not for a key.',
    resolve: (_root, _args, ctx) => endOtherSessions(ctx),
  }),
)
