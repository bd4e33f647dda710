import { backup } from './backup.ts'
import { baseUrl } from './base-url.ts'
import type { Check } from './check.ts'
import { configuration } from './configuration.ts'
import { diskSpace } from './disk-space.ts'
import { fileModes } from './file-modes.ts'
import { heldKeys, ledger } from './ledger.ts'
import { mail } from './mail.ts'
import { migrations } from './migrations.ts'
import { portalSecret } from './portal-secret.ts'
import { postgresClock, postgresDurability, postgresStandbys } from './postgres-durability.ts'
import { postgresRights, postgresServer } from './postgres-server.ts'
import { proxy } from './proxy.ts'
import { sqliteIntegrity, sqliteVersion } from './sqlite.ts'
import { unknownVariables } from './unknown-variables.ts'
import { valkey } from './valkey.ts'
import { webhookSecrets } from './webhook-secrets.ts'

/** Every check, in the order of the report. */
export const CHECKS: readonly Check[] = [
  configuration,
  unknownVariables,
  fileModes,
  diskSpace,
  sqliteVersion,
  sqliteIntegrity,
  postgresServer,
  postgresRights,
  postgresDurability,
  postgresStandbys,
  postgresClock,
  migrations,
  ledger,
  heldKeys,
  backup,
  portalSecret,
  webhookSecrets,
  mail,
  valkey,
  baseUrl,
  proxy,
]
