import type { Command } from 'commander'
import { listMail, type Mail } from '../../server/mail/mail.ts'
import { addCommand, answering } from '../command.ts'
import { organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

const NEWEST = 100
const HEADINGS = ['written', 'to', 'subject', 'state', 'lastError']

export function addOrgEmails(org: Command, terminal: Terminal): void {
  addCommand(org, {
    name: 'emails',
    message: `Show the last ${NEWEST} emails of an organization, the newest first: sent, queued and why, or stored since there is no SMTP_URL.`,
    example: 'org emails acme-edge',
  })
    .argument('<slug>', 'the organization')
    .action(
      answering(terminal, (slug: string) =>
        withPortal(terminal, async (portal) => {
          const { ctx, organization } = await organizationBySlug(portal, slug)
          const isSent = portal.config.smtp !== undefined
          const { data: emails } = await listMail(ctx, { first: NEWEST }, { isSent })
          return {
            document: emails.map(({ createdAt, sentAt, ...email }) => ({
              ...email,
              createdAt: isoTime(createdAt),
              sentAt: isoTime(sentAt),
            })),
            text: emails.length === 0 ? `${organization.name} has no emails.` : table(HEADINGS, emails.map(cellsOf)),
          }
        }),
      ),
    )
}

const cellsOf = ({ createdAt, to, subject, state, lastError }: Mail) => [
  readableTime(createdAt),
  to,
  subject,
  state.toLowerCase(),
  lastError ?? '-',
]
