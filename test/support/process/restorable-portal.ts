import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readConfig } from '../../../server/config.ts'
import type { Database } from '../../../server/db/database.ts'
import { openDatabase } from '../../../server/db/open.ts'
import { type OpenedDatabase, openWithLedger } from '../../../server/ledger/open-ledger.ts'
import { createLog } from '../../../server/lib/log.ts'

const FILES = ['', '-wal', '-shm']
/** In memory where that is possible: its many commits need not survive a power cut. */
const FOLDERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A portal on SQLite without its server: its file can be copied and copied back, and it has a choice of ledgers. */
export class RestorablePortal {
  readonly #folder = mkdtempSync(join(FOLDERS, 'portal-'))
  readonly #now: () => number
  #opened: OpenedDatabase | undefined
  #backups = 0

  /** With the data of another one, which is stopped. */
  constructor(now: () => number, like?: RestorablePortal) {
    this.#now = now
    if (like) copyFileSync(like.#file, this.#file)
  }

  get database(): Database {
    if (!this.#opened) throw new Error('The portal is stopped.')
    return this.#opened.database
  }

  /** Starts it with this ledger, after it has stopped. */
  async start(ledger: number): Promise<void> {
    await this.stop()
    const config = readConfig({ DATA_DIR: this.#folder, LEDGER: this.#ledger(ledger) })
    this.#opened = await openWithLedger(config, { log: createLog('silent', process.stderr), now: this.#now })
  }

  async stop(): Promise<void> {
    await this.#opened?.database.close()
    this.#opened = undefined
  }

  /** What a process does that is killed between its commit and the ledger: the portal may run meanwhile. */
  async killedBeforeLedger(work: (database: Database) => Promise<unknown>): Promise<void> {
    const database = await openDatabase(readConfig({ DATA_DIR: this.#folder }), { now: this.#now })
    try {
      await work(database)
    } finally {
      await database.close()
    }
  }

  /** The number of the backup. */
  backUp(): number {
    const database = new DatabaseSync(this.#file)
    database.prepare('vacuum into ?').run(this.#backup(this.#backups))
    database.close()
    return this.#backups++
  }

  async copyBack(backup: number): Promise<void> {
    await this.stop()
    remove(this.#file)
    copyFileSync(this.#backup(backup), this.#file)
  }

  async loseLedger(ledger: number): Promise<void> {
    await this.stop()
    remove(this.#ledger(ledger))
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #file(): string {
    return join(this.#folder, 'portal.db')
  }

  #backup = (number: number) => join(this.#folder, `backup-${number}`)
  #ledger = (number: number) => join(this.#folder, `ledger-${number}`)
}

function remove(file: string): void {
  for (const each of FILES) rmSync(file + each, { force: true })
}
