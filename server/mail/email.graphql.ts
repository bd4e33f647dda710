import { builder } from '../graphql/builder.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import { listMail, type Mail } from './mail.ts'

const EmailStateType = builder.enumType('EmailState', {
  description: 'What has become of an email.',
  values: {
    STORED: { description: 'It is not sent, since the portal has no mail server. It can be read here.' },
    QUEUED: { description: 'It is queued, and sent as soon as the mail server accepts it.' },
    SENT: { description: 'The mail server has accepted it.' },
    EXPIRED: { description: 'It could not be sent in time, and is not tried again.' },
  } as const,
})

const EmailType = builder.objectRef<Mail>('Email').implement({
  description: 'An email that the portal has written.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the email. Its Message-ID begins with it.' }),
    to: t.exposeString('to', { description: 'The email address that it goes to.' }),
    subject: t.exposeString('subject', { description: 'Its subject line.' }),
    text: t.exposeString('text', {
      nullable: true,
      description: 'Its text. Null where it contains a link that signs somebody in: only the recipient sees it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was written.' }),
    sentAt: t.expose('sentAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the mail server accepted it. Null unless it is SENT.',
    }),
    state: t.expose('state', { type: EmailStateType, description: 'Whether it was sent.' }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'The error of the last attempt to send it. Null when there was none.',
    }),
  }),
})

builder.queryField('emails', (t) =>
  t.field({
    type: listType('EmailList', EmailType, 'emails'),
    description: 'The emails of the organization in the last 90 days, the newest first. For an Admin or a key.',
    args: pageArgs(t.arg),
    resolve: (_root, args, ctx) => listMail(ctx, args, { isSent: ctx.emailEncryption !== undefined }),
  }),
)
