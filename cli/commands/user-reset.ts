import type { Command } from 'commander'
import { originOf } from '../../server/config.ts'
import { createPasswordReset } from '../../server/identity/password-reset.ts'
import { checkEmail } from '../../server/lib/check.ts'
import { emailEncryptionOf } from '../../server/mail/encrypted-links.ts'
import { webLinks } from '../../server/mail/web-links.ts'
import { addCommand, answering } from '../command.ts'
import { noSuchAccount } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'

const HAND_OVER = 'Give them this link to set a new password'

export function addUserReset(user: Command, terminal: Terminal): void {
  addCommand(user, {
    name: 'reset',
    message: 'Print a link to set a new password, which works once, for 30 minutes. Earlier links no longer work.',
    example: 'user reset ada@example.com',
  })
    .argument('<email>', 'their email address')
    .action(
      answering(terminal, (given: string) =>
        withPortal(terminal, async (portal) => {
          const email = checkEmail('email', given)
          const { config, database } = portal
          const origin = originOf(config)
          const encryption = emailEncryptionOf(config)
          const mail = encryption && { origin, encryption }
          const reset = await createPasswordReset(database, portal.now(), email, { mail })
          if (!reset) throw noSuchAccount()
          const link = webLinks.resetPassword(origin, reset.token)
          const handOver = mail ? 'This link to set a new password is on its way by email' : HAND_OVER
          return { document: { email, link }, text: `${handOver}; it works once, for 30 minutes:\n\n  ${link}` }
        }),
      ),
    )
}
