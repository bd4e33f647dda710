import type { Db } from './tables.ts'

const servers = new WeakMap<Db, string>()

/** Notes on which server of PostgreSQL, and which timeline of it, a transaction runs. */
export const noteServer = (db: Db, server: string) => void servers.set(db, server)

/** Empty on SQLite, and where PostgreSQL cannot be asked. */
export const serverOf = (db: Db): string => servers.get(db) ?? ''
