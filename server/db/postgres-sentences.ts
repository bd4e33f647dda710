import { OperatorError } from '../lib/failure.ts'
import type { PostgresAddress } from '../lib/postgres-address.ts'

/** Why the database cannot be opened, in one sentence for whoever runs the machine; the password is never in it. */
export function cannotOpen({ hosts, user, database, tls }: PostgresAddress, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  const where = hosts.map(({ host, port }) => `${host}:${port}`).join(', ')
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = error instanceof Error ? error.message : 'unknown'
  const says = (words: string) => new OperatorError(words, error)
  switch (code) {
    case '28P01':
    case '28000':
      return says(
        `PostgreSQL at ${where} does not let the user ${user} in (${reason}): check the user and the password in DATABASE_URL, and pg_hba.conf.`,
      )
    case '3D000':
      return says(
        `PostgreSQL at ${where} has no database ${database}: create it (createdb ${database}), or change DATABASE_URL.`,
      )
    case '42501':
      return says(`The user ${user} may not use the database ${database} (${reason}): make it the owner.`)
    case 'NOT_PRIMARY':
      return says(`PostgreSQL at ${where} is a standby, which takes no writes: name the primary in DATABASE_URL.`)
    case 'NO_TLS':
      return says(
        `PostgreSQL at ${where} does not speak TLS, and DATABASE_URL says sslmode=${tls}: switch ssl on there, or sslmode=disable.`,
      )
  }
  if (reason.includes('unsupported startup parameter')) {
    return says(`${where} is a pooler that takes no settings for a session: add pgbouncer=true to DATABASE_URL.`)
  }
  if (/CERT|ERR_TLS|ERR_SSL|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
    return says(
      `The certificate of PostgreSQL at ${where} is not accepted (${reason}): name its authority by sslrootcert in DATABASE_URL.`,
    )
  }
  return says(
    `PostgreSQL at ${where} cannot be reached (${reason || code}): check DATABASE_URL, and whether the server is running.`,
  )
}
