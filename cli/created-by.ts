import type { ApiKey } from '../server/api-keys/api-key.ts'
import { AppError } from '../server/lib/app-error.ts'
import { PORTAL } from '../server/lib/command-name.ts'
import type { Selection } from './key-source/key-source.ts'

interface CreatedKeys {
  keys: ApiKey[]
  /** Empty for the command line, which has no id. */
  selection: Selection
}

/** The keys created by one person or key, given by name or by id. */
export function keysCreatedBy(keys: ApiKey[], who: string): CreatedKeys {
  const created = keys.filter(({ createdById, createdByName }) => createdById === who || createdByName === who)
  const [creator, another] = new Set(created.map(({ createdById }) => createdById))
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
