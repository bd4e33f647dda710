import { AppError } from '../server/lib/app-error.ts'
import { PORTAL } from '../server/lib/command-name.ts'
import type { Selection } from './key-source/key-source.ts'
import type { ShownKey } from './key-source/shown-key.ts'

interface CreatedKeys {
  keys: ShownKey[]
  /** Empty for the command line, which has no id. */
  selection: Selection
}

/** The keys created by one person or key, given by name or by id. */
export function keysCreatedBy(keys: ShownKey[], who: string): CreatedKeys {
  const created = keys.filter(({ createdBy: { id, name } }) => id === who || name === who)
  const [creator, another] = new Set(created.map(({ createdBy }) => createdBy.id))
  if (creator === undefined) {
    throw new AppError('NOT_FOUND', {
      message: `Nobody with this name or id has created a key here: ${PORTAL} key list shows who has.`,
    })
  }
  if (another !== undefined) {
    throw new AppError('CONFLICT', {
      message: `Several people or keys have this name: give an id. ${PORTAL} key list --json shows them (createdBy).`,
    })
  }
  return { keys: created, selection: creator === null ? {} : { createdById: creator } }
}
