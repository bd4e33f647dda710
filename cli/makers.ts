import type { ApiKey } from '../server/api-keys/api-key.ts'
import type { ManyApiKeys } from '../server/api-keys/revoke-many.ts'
import { PORTAL } from '../server/lib/command-name.ts'
import { Failure } from '../server/lib/failure.ts'

interface Made {
  keys: ApiKey[]
  /** The same as a condition; the command line has no id. */
  many: ManyApiKeys
}

/** Those of these keys that one person or key has made, who is given by name or by id. */
export function keysMadeBy(keys: ApiKey[], who: string): Made {
  const made = keys.filter(({ createdById, createdByName }) => createdById === who || createdByName === who)
  const [maker, another] = new Set(made.map(({ createdById }) => createdById))
  if (maker === undefined) {
    throw new Failure('NOT_FOUND', {
      says: `Nobody of this name or id has made a key here: ${PORTAL} key list shows who has.`,
    })
  }
  if (another !== undefined) {
    throw new Failure('CONFLICT', {
      says: `Several have this name: give an id. ${PORTAL} key list --json shows them (createdBy).`,
    })
  }
  return { keys: made, many: maker === null ? {} : { createdById: maker } }
}
