import { OperatorError } from '../../lib/app-error.ts'
import { codeOf, messageOf } from '../../lib/error-text.ts'
import type { PostgresAddress } from '../../lib/postgres-address.ts'

/** Why the database cannot be opened, in one sentence for the operator; it never contains the password. */
export function cannotOpen({ hosts, user, database, tls }: PostgresAddress, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  const where = hosts.map(({ host, port }) => `${host}:${port}`).join(', ')
  const [code, reason] = [codeOf(error), messageOf(error)]
  const message = (words: string) => new OperatorError(words, error)
  switch (code) {
    case '28P01':
    case '28000':
      return message(
        `PostgreSQL at ${where} does not accept the user ${user} (${reason}): check the user and the password in DATABASE_URL, and pg_hba.conf.`,
      )
    case '3D000':
      return message(
        `PostgreSQL at ${where} has no database ${database}: create it (createdb ${database}), or change DATABASE_URL.`,
      )
    case '42501':
      return message(`The user ${user} may not use the database ${database} (${reason}): make it the owner.`)
    case 'NOT_PRIMARY':
      return message(`PostgreSQL at ${where} is a standby, which accepts no writes: name the primary in DATABASE_URL.`)
    case 'NO_TLS':
      return message(
        `PostgreSQL at ${where} does not speak TLS, and DATABASE_URL says sslmode=${tls}: switch ssl on there, or sslmode=disable.`,
      )
  }
  if (reason.includes('unsupported startup parameter')) {
    return message(`${where} is a pooler that accepts no session settings: add pgbouncer=true to DATABASE_URL.`)
  }
  if (/CERT|ERR_TLS|ERR_SSL|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
    return message(
      `The certificate of PostgreSQL at ${where} is not accepted (${reason}): name its authority by sslrootcert in DATABASE_URL.`,
    )
  }
  return message(
    `PostgreSQL at ${where} cannot be reached (${reason || code}): check DATABASE_URL, and whether the server is running.`,
  )
}
