import type { Command } from 'commander'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { listOrganizations } from '../organizations.ts'
import { withPortal } from '../portal.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

const HEADINGS = ['slug', 'name', 'kind', 'members', 'api keys', 'active keys', 'created']

export function addOrgList(org: Command, terminal: Terminal): void {
  addCommand(org, {
    name: 'list',
    message: 'List all organizations and personal accounts.',
    example: 'org list',
  }).action(
    answering(terminal, () =>
      withPortal(terminal, async (portal) => {
        const organizations = (await listOrganizations(portal)).map(({ apiKeysEnabled, ...rest }) => ({
          ...rest,
          apiKeysEnabled: apiKeysEnabled === 1,
        }))
        return {
          document: organizations.map((row) => ({ ...row, createdAt: isoTime(row.createdAt) })),
          text:
            organizations.length === 0
              ? `There are no organizations yet. Create one: ${PORTAL} org create NAME`
              : table(HEADINGS, organizations.map(cellsOf)),
        }
      }),
    ),
  )
}

type Row = Omit<Awaited<ReturnType<typeof listOrganizations>>[number], 'apiKeysEnabled'> & { apiKeysEnabled: boolean }

const cellsOf = ({ slug, name, kind, members, apiKeysEnabled, activeKeys, createdAt }: Row) => [
  slug,
  name,
  kind === 'PERSONAL' ? 'personal' : 'organization',
  String(members),
  apiKeysEnabled ? 'on' : 'off',
  String(activeKeys),
  readableTime(createdAt),
]
