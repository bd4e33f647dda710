import { builder } from '../graphql/builder.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import { listMail, type Mail } from './mail.ts'

const MailStateType = builder.enumType('MailState', {
  description: 'What becomes of a letter.',
  values: {
    KEPT: { description: 'Nobody sends it: the portal has no mail server. It can be read here.' },
    WAITING: { description: 'It is sent as soon as the mail server takes it.' },
    SENT: { description: 'The mail server has taken it.' },
    EXPIRED: { description: 'It could not be sent while it was of use.' },
  } as const,
})

const MailType = builder.objectRef<Mail>('Mail').implement({
  description: 'A letter that the portal has written.',
  fields: (t) => ({
    id: t.exposeID('id'),
    to: t.exposeString('to'),
    subject: t.exposeString('subject'),
    text: t.exposeString('text', {
      nullable: true,
      description: 'Absent where a link in it lets somebody in: that is for its reader alone.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    sentAt: t.expose('sentAt', { type: 'DateTime', nullable: true }),
    state: t.expose('state', { type: MailStateType }),
    trouble: t.exposeString('trouble', { nullable: true, description: 'What went wrong when it was last tried.' }),
  }),
})

builder.queryField('outbox', (t) =>
  t.field({
    type: listType('MailList', MailType),
    description: 'The letters of the organization in the last 90 days, the newest first. For an Admin or a key.',
    args: pageArgs(t.arg),
    resolve: (_root, args, ctx) => listMail(ctx, args, { isSent: ctx.mailSeal !== undefined }),
  }),
)
