import { sql } from 'kysely'
import { asUnavailable, isUnavailable } from './errors.ts'
import { revocationsSoFar } from './revocations.ts'
import type { Db } from './tables.ts'

/** Runs a part of a transaction: if it fails, the part is rolled back, and the rest of the transaction can go on. */
export async function inSavepoint<Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  const forgetRevocations = revocationsSoFar(db)
  await sql`savepoint "part"`.execute(db)
  try {
    const result = await work(db)
    await sql`release savepoint "part"`.execute(db)
    return result
  } catch (error) {
    forgetRevocations()
    await backToSavepoint(db, error)
    throw error
  }
}

/** The transaction may be gone as a whole: by a lost connection, or by a full disk. */
async function backToSavepoint(db: Db, error: unknown): Promise<void> {
  try {
    await sql`rollback to savepoint "part"`.execute(db)
    await sql`release savepoint "part"`.execute(db)
  } catch (second) {
    throw isUnavailable(error) ? error : asUnavailable(second)
  }
}
