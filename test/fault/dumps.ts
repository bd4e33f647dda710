import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts'
import { temporaryFolder } from './processes.ts'
import { type BackUp, isDeadlock, tablesOf } from './restores.ts'

/** The pause of a slow restore between the revocations and the keys. */
const BETWEEN_PARTS_MS = 1500

const FIRST = ['--table=revocation', '--table=revocationState']

const run = promisify(execFile) // keys are used and revoked meanwhile

/** Backups by the `pg_dump` and `pg_restore` of a folder. */
export interface Dumps {
  /** Into the database of the running portal, with these options of `pg_restore`. */
  restoredBy(...options: string[]): BackUp
  /** In the worst order: the revocations come a while before everything else, as they may with several jobs. */
  restoredInParts: BackUp
  /** Into a new server, to which the replicas move once it is complete. */
  restoredElsewhere: BackUp
}

export function createDumps(binaries: string): Dumps {
  const dump = async ({ url }: PostgresServer) => {
    const folder = temporaryFolder()
    const file = join(folder.path, 'portal.dump')
    await run(join(binaries, 'pg_dump'), ['--format=custom', `--file=${file}`, `--dbname=${url()}`])
    const restore = (to: PostgresServer, ...options: string[]) =>
      run(join(binaries, 'pg_restore'), [...options, `--dbname=${to.url()}`, file])
    return { restore, close: async () => folder.remove() }
  }
  return {
    restoredBy:
      (...options) =>
      async ({ postgres }) => {
        const { restore, close } = await dump(postgres)
        return {
          async restore() {
            while (await isDeadlock(restore(postgres, '--clean', '--if-exists', '--exit-on-error', ...options)));
          },
          close,
        }
      },
    async restoredInParts({ postgres, sql }) {
      const { restore, close } = await dump(postgres)
      return {
        async restore() {
          while (await isDeadlock(sql.unsafe('drop schema public cascade; create schema public')));
          await restore(postgres, '--section=pre-data', '--exit-on-error')
          await restore(postgres, '--data-only', '--exit-on-error', ...FIRST)
          await pause(BETWEEN_PARTS_MS)
          const others = (await tablesOf(sql)).map((name) => `--table=${name}`).filter((each) => !FIRST.includes(each))
          await restore(postgres, '--data-only', '--exit-on-error', ...others)
          await restore(postgres, '--section=post-data', '--exit-on-error')
        },
        close,
      }
    },
    async restoredElsewhere({ postgres, replicas }) {
      const { restore, close } = await dump(postgres)
      const { password } = new URL(postgres.url())
      const other = await startPostgres({ durable: true, binaries, password })
      return {
        async restore() {
          await restore(other, '--exit-on-error')
          await postgres.stop('immediate')
          for (const replica of replicas) replica.moveTo(other)
        },
        async close() {
          await other.close()
          await close()
        },
      }
    },
  }
}
