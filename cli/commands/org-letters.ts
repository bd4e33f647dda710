import type { Command } from 'commander'
import { listMail, type Mail } from '../../server/mail/mail.ts'
import { addCommand, answering } from '../command.ts'
import { enter } from '../inside.ts'
import { withPortal } from '../portal.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

const NEWEST = 100
const HEADINGS = ['written', 'to', 'subject', 'state', 'trouble']

export function addOrgLetters(org: Command, terminal: Terminal): void {
  addCommand(org, {
    name: 'letters',
    says: `Show the last ${NEWEST} letters of an organization, the newest first: what was sent, what waits and why, and what is kept since there is no SMTP_URL.`,
    example: 'org letters acme-edge',
  })
    .argument('<slug>', 'the organization')
    .action(
      answering(terminal, (slug: string) =>
        withPortal(terminal, async (portal) => {
          const { ctx, organization } = await enter(portal, slug)
          const isSent = portal.config.smtp !== undefined
          const { data: letters } = await listMail(ctx, { first: NEWEST }, { isSent })
          return {
            document: letters.map(({ createdAt, sentAt, ...letter }) => ({
              ...letter,
              createdAt: isoTime(createdAt),
              sentAt: isoTime(sentAt),
            })),
            text: letters.length === 0 ? `${organization.name} has no letters.` : table(HEADINGS, letters.map(cellsOf)),
          }
        }),
      ),
    )
}

const cellsOf = ({ createdAt, to, subject, state, trouble }: Mail) => [
  readableTime(createdAt),
  to,
  subject,
  state.toLowerCase(),
  trouble ?? '-',
]
