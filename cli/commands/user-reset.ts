import type { Command } from 'commander'
import { createPasswordReset } from '../../server/identity/password-reset.ts'
import { checkEmail } from '../../server/lib/check.ts'
import { addCommand, answering } from '../command.ts'
import { nobodyWithAddress } from '../inside.ts'
import { baseUrlOf, withPortal } from '../portal.ts'

export function addUserReset(user: Command): void {
  addCommand(user, {
    usage: 'reset <email>',
    says: 'Print a link by which a person sets a new password, once, within 30 minutes. A link made before is dead.',
    example: 'user reset ada@example.com',
  }).action(
    answering((given: string) =>
      withPortal(async ({ database, now, config }) => {
        const email = checkEmail('email', given)
        const reset = await createPasswordReset(database, now(), email)
        if (!reset) throw nobodyWithAddress()
        const link = new URL(`/reset/${reset.token}`, baseUrlOf(config)).href
        return {
          document: { email, link },
          text: `Hand over this link to set a new password; it works once, for 30 minutes:\n\n  ${link}`,
        }
      }),
    ),
  )
}
