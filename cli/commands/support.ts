import type { Command } from 'commander'
import { checkEmail } from '../../server/lib/check.ts'
import { markSupport } from '../../server/users/support.ts'
import { addCommand, answering } from '../command.ts'
import { noSuchAccount } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'

export function addSupportGrant(support: Command, terminal: Terminal): void {
  addCommand(support, {
    name: 'grant',
    message:
      "Make a person one of the vendor's support staff: they see all organizations and switch API keys, but see no key.",
    example: 'support grant sam@example.com',
  })
    .argument('<email>', 'their email address')
    .action(answering(terminal, (email: string) => mark(terminal, email, true)))
}

export function addSupportRevoke(support: Command, terminal: Terminal): void {
  addCommand(support, {
    name: 'revoke',
    message: 'Remove a person from the support staff, from their next request on.',
    example: 'support revoke sam@example.com',
  })
    .argument('<email>', 'their email address')
    .action(answering(terminal, (email: string) => mark(terminal, email, false)))
}

function mark(terminal: Terminal, given: string, support: boolean) {
  return withPortal(terminal, async ({ database, now }) => {
    const email = checkEmail('email', given)
    if (!(await markSupport(database, now(), email, support))) throw noSuchAccount()
    return { document: { email, support }, text: `${email} is ${support ? 'now' : 'no longer'} support staff.` }
  })
}
