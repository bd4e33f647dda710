import type { Command } from 'commander'
import { insertEvent } from '../../server/audit/audit-event.ts'
import { createPasswordReset } from '../../server/identity/password-reset.ts'
import { checkEmail } from '../../server/lib/check.ts'
import { userByEmail } from '../../server/users/create-user.ts'
import { addCommand, answering } from '../command.ts'
import { COMMAND_LINE, nobodyWithAddress } from '../inside.ts'
import { baseUrlOf, type Portal, withPortal } from '../portal.ts'

export function addUserReset(user: Command): void {
  addCommand(user, {
    usage: 'reset <email>',
    says: 'Print a link by which a person sets a new password, once, within 30 minutes. A link made before is dead.',
    example: 'user reset ada@example.com',
  }).action(
    answering((given: string) =>
      withPortal(async (portal) => {
        const email = checkEmail('email', given)
        const link = new URL(`/reset/${await makeToken(portal, email)}`, baseUrlOf(portal.config)).href
        return {
          document: { email, link },
          text: `Hand over this link to set a new password; it works once, for 30 minutes:\n\n  ${link}`,
        }
      }),
    ),
  )
}

/** Written down first, so that there is never a link that nobody can trace. */
async function makeToken({ database, now }: Portal, email: string): Promise<string> {
  await database.transaction(async (db) => {
    const person = await userByEmail(db, email)
    if (!person) throw nobodyWithAddress()
    await insertEvent(db, now(), {
      action: 'user.password_reset',
      subject: person.name,
      details: 'a link was made',
      actor: COMMAND_LINE,
      organizationId: person.personalOrganizationId,
    })
  })
  const reset = await createPasswordReset(database, now(), email)
  if (!reset) throw nobodyWithAddress()
  return reset.token
}
