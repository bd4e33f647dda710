import type { Db } from './tables.ts'

const servers = new WeakMap<Db, string>()

/** Notes on which server of PostgreSQL, which timeline of it and which database a transaction runs. */
export const noteServer = (db: Db, server: string) => void servers.set(db, server)

/** Empty on SQLite, and where PostgreSQL cannot be asked. */
export const serverOf = (db: Db): string => servers.get(db) ?? ''

interface Server {
  /** The cluster of PostgreSQL, as it was made; its standbys have the same. */
  system: string
  /** Each promotion and each recovery begins another one. */
  timeline: number
  /** One of its databases. */
  database: string
}

/** The timeline is hexadecimal in the names of WAL files. */
export function serverParts(server: string): Server {
  const [system = '', timeline = '', database = ''] = server.split('/')
  return { system, timeline: Number.parseInt(timeline, 16) || 0, database }
}
