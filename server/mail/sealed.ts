import type { Config } from '../config.ts'
import { keptSecret } from '../lib/kept-secret.ts'
import { createSeal, type Seal } from '../lib/seal.ts'

/** What letters with links in them are sealed with while they wait; undefined: there is no mail server to send them by. */
export function mailSealOf({ smtp, portalSecret, dataDir }: Config): Seal | undefined {
  return smtp && createSeal(portalSecret ?? keptSecret(dataDir), 'mail')
}
