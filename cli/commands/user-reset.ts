import type { Command } from 'commander'
import { createPasswordReset } from '../../server/identity/password-reset.ts'
import { checkEmail } from '../../server/lib/check.ts'
import { addCommand, answering } from '../command.ts'
import { nobodyWithAddress } from '../inside.ts'
import { baseUrlOf, withPortal } from '../portal.ts'

export function addUserReset(user: Command): void {
  addCommand(user, {
    name: 'reset',
    says: 'Print a link by which a person sets a new password, once, within 30 minutes. A link made before is dead.',
    example: 'user reset ada@example.com',
  })
    .argument('<email>', 'their e-mail address')
    .action(
      answering((given: string) =>
        withPortal(async (portal) => {
          const email = checkEmail('email', given)
          const reset = await createPasswordReset(portal.database, portal.now(), email)
          if (!reset) throw nobodyWithAddress()
          const link = new URL(`/reset/${reset.token}`, baseUrlOf(portal.config)).href
          return {
            document: { email, link },
            text: `Hand over this link to set a new password; it works once, for 30 minutes:\n\n  ${link}`,
          }
        }),
      ),
    )
}
