import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { RevocationPoint } from '../db/known-point.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import { DiskRoom, type RoomOptions } from '../db/sqlite/disk-room.ts'
import { isBusy, isDamaged } from '../db/sqlite/errors.ts'
import { type FilesBeside, filesBeside, identityOf, statOf } from '../db/sqlite/open-files.ts'
import { OperatorError } from '../lib/app-error.ts'
import { messageOf } from '../lib/error-text.ts'
import { makePrivateFolder, makeWithOwnerOf } from '../lib/private-files.ts'

const OPEN_TIMEOUT_MS = 5000
/** For thousands of rows on a full disk. */
const RESERVE_BYTES = 2 * 1024 * 1024
export const IN_MEMORY = ':memory:'

/** What became of an addition. Superseded: it is on disk, but its database has been replaced by another one. */
export type Addition = 'added' | 'superseded'

/** How far the ledger and the database are known to be the same. */
export interface Agreed extends RevocationPoint {
  installation: string
}

const HEAD = `select "incarnation", max("sequence") as "sequence" from "revocation" where "incarnation" =
  (select "incarnation" from "revocation" where "kind" = 'INCARNATION' order by "sequence" desc limit 1)`
const IS_SUPERSEDED = `select 1 from "revocation" where "kind" = 'INCARNATION' and "incarnation" = ?1 and "incarnation" <>
  (select "incarnation" from "revocation" where "kind" = 'INCARNATION' order by "sequence" desc limit 1)`
const SINCE = `select * from "revocation" where "sequence" > ?
  order by "sequence", "incarnation", "kind", "organizationId", "subject" limit ?`

const TABLES = `
create table if not exists "revocation" (
  "sequence" integer not null,
  "incarnation" integer not null,
  "kind" text not null,
  "organizationId" text not null,
  "subject" text not null,
  "endsAt" integer not null,
  primary key ("sequence", "incarnation", "kind", "organizationId", "subject", "endsAt")
) strict, without rowid;
create index if not exists "incarnations" on "revocation" ("sequence") where "kind" = 'INCARNATION';
create index if not exists "byIncarnation" on "revocation" ("incarnation", "sequence");
create table if not exists "agreed" (
  "one" integer primary key check ("one" = 1),
  "installation" text not null,
  "incarnation" integer not null,
  "sequence" integer not null
) strict
`

/** Every revocation again, in a file of its own that no backup of the database contains. Rows are only ever added, by any process. */
export class LedgerFile {
  readonly path: string
  readonly #room: DiskRoom
  readonly #database: DatabaseSync
  readonly #beside: FilesBeside
  readonly #identity: string
  #size = 0n
  readonly #prepared = new Map<string, StatementSync>()
  readonly #head: StatementSync

  constructor(path: string, room: Partial<RoomOptions> = {}) {
    this.path = path
    this.#room = new DiskRoom(path, { bytes: RESERVE_BYTES, ...room })
    this.#database = path === IN_MEMORY ? open(path) : this.#room.open(() => open(path))
    this.#beside = filesBeside(path)
    this.#identity = this.#identityNow()
    this.#head = this.#database.prepare(HEAD)
  }

  #prepare(query: string): StatementSync {
    const statement = this.#prepared.get(query) ?? this.#database.prepare(query)
    this.#prepared.set(query, statement)
    return statement
  }

  /** Where there is no disk for it: it ends with the process. */
  get isInMemory(): boolean {
    return this.path === IN_MEMORY
  }

  /** Its last revocation in the last incarnation; undefined: it is empty. */
  head(): RevocationPoint | undefined {
    const row = this.#head.get()
    return row?.['incarnation'] == null ? undefined : (row as unknown as RevocationPoint) // its columns
  }

  /** Undefined: it is new. */
  agreed(): Agreed | undefined {
    return this.#prepare('select "installation", "incarnation", "sequence" from "agreed"').get() as Agreed | undefined // the columns of the query
  }

  rowsSince(sequence: number, limit: number): RevocationTable[] {
    return this.#prepare(SINCE).all(sequence, limit) as unknown as RevocationTable[] // the columns of the table
  }

  /** The last of them, in any order. */
  rowsUpTo(sequence: number, limit: number): RevocationTable[] {
    const query = 'select * from "revocation" where "sequence" <= ? order by "sequence" desc limit ?'
    return this.#prepare(query).all(sequence, limit) as unknown as RevocationTable[] // the columns of the table
  }

  /** The organizations that have a revocation. */
  organizationIds(): string[] {
    const query = `select distinct "organizationId" as "id" from "revocation" where "organizationId" <> ''`
    const rows = this.#prepare(query).all()
    return rows.map(({ id }) => String(id))
  }

  lastIncarnation(): RevocationTable | undefined {
    const query = `select * from "revocation" where "kind" = 'INCARNATION' order by "sequence" desc limit 1`
    return this.#prepare(query).get() as RevocationTable | undefined // the columns of the table
  }

  /** On disk once it returns. Superseded: a later incarnation is known, so that database is an old one. Throws `isLedgerBusy` while another writes. */
  add(incarnation: number, rows: readonly RevocationTable[], agreed?: Agreed): Addition {
    return this.#room.runSync(() => this.#addNow(incarnation, rows, agreed))
  }

  #addNow(incarnation: number, rows: readonly RevocationTable[], agreed: Agreed | undefined): Addition {
    this.#database.exec('begin immediate')
    try {
      const isSuperseded = this.#prepare(IS_SUPERSEDED).get(incarnation) !== undefined
      let added = 0
      for (const row of rows) added += this.#addRow(row)
      if (agreed && !isSuperseded) this.#agree(agreed)
      if (isSuperseded && added > 0) this.#doubtAgreed(firstOf(rows))
      this.#database.exec('commit')
      return isSuperseded ? 'superseded' : 'added'
    } finally {
      if (this.#database.isTransaction) this.#database.exec('rollback')
    }
  }

  #addRow({ sequence, incarnation, kind, organizationId, subject, endsAt }: RevocationTable): number {
    const insert = this.#prepare('insert or ignore into "revocation" values (?, ?, ?, ?, ?, ?)') // in the order of TABLES
    return Number(insert.run(sequence, incarnation, kind, organizationId, subject, endsAt).changes)
  }

  /** From now on the database and all of the ledger have to be compared. */
  doubt(): void {
    this.#room.runSync(() => this.#doubtAgreed(1))
  }

  /** No database has the incarnation 0, so every process compares from this sequence on. */
  #doubtAgreed(from: number): void {
    this.#database
      .prepare('update "agreed" set "incarnation" = 0, "sequence" = min("sequence", ?)')
      .run(Math.max(0, from - 1))
  }

  #agree({ installation, incarnation, sequence }: Agreed): void {
    this.#database
      .prepare('insert or replace into "agreed" ("one", "installation", "incarnation", "sequence") values (1, ?, ?, ?)')
      .run(installation, incarnation, sequence)
  }

  requireRoom(): void {
    this.#room.requireRoom()
  }

  /** Merges what was added into the file: whoever removes what is beside it by mistake loses nothing older. */
  checkpoint(): void {
    this.#room.runSync(() => this.#database.exec('pragma wal_checkpoint(passive)')) // what is merged makes room in the log
  }

  /** The file at its path, or one beside it, is another one, gone, or truncated. */
  isReplaced(): boolean {
    if (this.isInMemory) return false
    const size = statOf(this.path)?.size ?? 0n
    if (this.#identityNow() !== this.#identity || size < this.#size) return true
    this.#size = size // it only grows
    return false
  }

  #identityNow(): string {
    return identityOf([this.path, this.#beside.log, this.#beside.index].map(statOf))
  }

  close(): void {
    this.#room.close()
    this.#database.close()
  }
}

export const isLedgerBusy = isBusy

function open(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    if (path !== IN_MEMORY) {
      makePrivateFolder(dirname(path))
      if (!existsSync(path)) makeWithOwnerOf(dirname(path), path)
    }
    database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS })
    database.exec('pragma journal_mode = wal; pragma synchronous = full')
    if (!isComplete(database)) database.exec(TABLES)
    database.exec('pragma busy_timeout = 0') // from here on the caller retries, without blocking the event loop
    return database
  } catch (error) {
    database?.close()
    throw cannotOpen(path, error)
  }
}

const isComplete = (database: DatabaseSync) =>
  database.prepare(`select 1 from sqlite_schema where "name" = 'agreed'`).get() !== undefined

const cannotOpen = (path: string, error: unknown) =>
  isDamaged(error)
    ? damagedLedger(path, error)
    : new OperatorError(
        `The ledger ${path} cannot be opened (${messageOf(error)}): check the file and its owner, or set LEDGER.`,
        error,
      )

export const damagedLedger = (path: string, cause: unknown) =>
  new OperatorError(
    `The ledger ${path} is damaged or is not a ledger: move it away, with the files beside it whose names begin like it, and the portal writes a new one from the database.`,
    cause,
  )

/** The least sequence. There may be more rows than a call has arguments. */
const firstOf = (rows: readonly RevocationTable[]) =>
  rows.reduce((least, { sequence }) => Math.min(least, sequence), Number.POSITIVE_INFINITY)
