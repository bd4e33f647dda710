import { tryMailServer } from '../mail/mail-server.ts'
import { isOnThisMachine } from '../mail/smtp.ts'
import { type Check, failure, orSuccess, success, warning } from './check.ts'

/** Whether the mail server accepts the portal: connects, encrypts and signs in as for an email, and sends none. */
export const mail: Check = {
  name: 'mail',
  async run({ config: { smtp, baseUrl } }) {
    if (!smtp) return [success('SMTP_URL is not set: emails are stored and shown in the portal.')]
    const { error, isEncrypted } = await tryMailServer(smtp)
    if (error)
      return [
        failure(
          `${error.message} (${smtp.host}:${smtp.port})`,
          'Check SMTP_URL: host, port, user, password, and the certificate of the server.',
        ),
      ]
    return orSuccess(
      [
        ...(!isEncrypted && !isOnThisMachine(smtp.host)
          ? [
              warning(
                `Emails go to ${smtp.host} unencrypted, and some contain links that sign people in.`,
                'Use smtps://, or a server that offers STARTTLS.',
              ),
            ]
          : []),
        ...(baseUrl
          ? []
          : [
              warning(
                'BASE_URL is not set: links in emails lead to this machine.',
                'Set BASE_URL to the public address.',
              ),
            ]),
        ...(smtp.from.endsWith('@localhost')
          ? [
              warning(
                `Emails come from ${smtp.from}, which many mail servers refuse.`,
                'Add ?from=portal@example.com to SMTP_URL.',
              ),
            ]
          : []),
      ],
      `${smtp.host} accepts the portal${isEncrypted ? ', encrypted' : ''}.`,
    )
  },
}
