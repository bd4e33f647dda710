import type { ApiKey } from '../server/api-keys/api-key.ts'
import type { ManyApiKeys } from '../server/api-keys/revoke-many.ts'
import { AppError } from '../server/lib/app-error.ts'
import { PORTAL } from '../server/lib/command-name.ts'

interface Made {
  keys: ApiKey[]
  /** The same as a condition; the command line has no id. */
  many: ManyApiKeys
}

/** The keys created by one person or key, given by name or by id. */
export function keysMadeBy(keys: ApiKey[], who: string): Made {
  const made = keys.filter(({ createdById, createdByName }) => createdById === who || createdByName === who)
  const [maker, another] = new Set(made.map(({ createdById }) => createdById))
  if (maker === undefined) {
    throw new AppError('NOT_FOUND', {
      message: `Nobody with this name or id has created a key here: ${PORTAL} key list shows who has.`,
    })
  }
  if (another !== undefined) {
    throw new AppError('CONFLICT', {
      message: `Several have this name: give an id. ${PORTAL} key list --json shows them (createdBy).`,
    })
  }
  return { keys: made, many: maker === null ? {} : { createdById: maker } }
}
