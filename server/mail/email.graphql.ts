import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { listType, pageArgs } from '../graphql/list-type.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { listMail, type Mail } from './mail.ts'

const EmailStateType = describedEnum('EmailState', 'What has become of an email.', {
  STORED: 'It is not sent, since the portal has no mail server. It can be read here.',
  QUEUED: 'It is queued, and sent as soon as the mail server accepts it.',
  SENT: 'The mail server has accepted it.',
  EXPIRED: 'It could not be sent in time, and is not tried again.',
})

const EmailType = builder.objectRef<Mail>('Email').implement({
  access: ['READ_ONLY'],
  description: 'An email that the portal has written.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'The id of the email. Its Message-ID begins with it.',
      'to: String!': 'The email address that it goes to.',
      'subject: String!': 'Its subject line.',
      'text: String': 'Its text. Null where it contains a link that signs somebody in: only the recipient sees it.',
      'createdAt: DateTime!': 'When it was written.',
      'sentAt: DateTime': 'When the mail server accepted it. Null unless it is SENT.',
      'lastError: String': 'The error of the last attempt to send it. Null when there was none.',
    }),
    state: t.expose('state', { type: EmailStateType, description: 'Whether it was sent.' }),
  }),
})

builder.queryField('emails', (t) =>
  t.field({
    access: ['READ_ONLY'],
    type: listType('EmailList', EmailType, 'emails'),
    description: 'The emails of the organization in the last 90 days, the newest first. For an Admin or a key.',
    args: pageArgs(t.arg),
    resolve: (_root, args, ctx) => listMail(ctx, args, { isSent: ctx.emailEncryption !== undefined }),
  }),
)
