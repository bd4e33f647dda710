import type { Filling, TableShape } from '../db/dump.ts'
import { bringUpTo, MIGRATIONS } from '../db/migrate.ts'
import { OperatorError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { TableEnd } from './format.ts'
import type { OpenBackup } from './read-backup.ts'
import type { Watch } from './write-backup.ts'

interface Options extends Watch {
  now: Clock
}

/** Fills an empty database with a backup, at the version of the database that it was made of. */
export async function fillFrom(
  filling: Filling,
  { about, tables }: OpenBackup,
  { now, ...watch }: Options,
): Promise<Map<string, TableEnd>> {
  await bringUpTo(filling.db, { columnTypes: filling.columnTypes, now }, about.database)
  const shapes = new Map((await filling.tables()).map((shape) => [shape.name, shape]))
  await filling.prepare()
  const filled = new Map<string, TableEnd>()
  for await (const { lines, end, ...table } of tables(watch)) {
    requireFit(table, shapes.get(table.name))
    await filling.fill(table, lines)
    filled.set(table.name, end())
  }
  if (filled.size !== shapes.size) throw doesNotFit()
  await filling.complete()
  return filled
}

/** Before anything is done: a backup of a newer version is never restored. */
export function requireKnownVersion({ about }: OpenBackup, path: string): void {
  if (about.database <= MIGRATIONS.length) return
  throw new OperatorError(
    `The backup ${path} is of a newer version of the portal (${about.portal}, database version ${about.database}; this one knows ${MIGRATIONS.length}): use that version.`,
  )
}

function requireFit(table: TableShape, shape: TableShape | undefined): void {
  const columnsOf = (of: TableShape) => of.columns.map(({ name, type }) => `${name} ${type}`).sort()
  if (!shape || columnsOf(table).join() !== columnsOf(shape).join()) throw doesNotFit()
}

const doesNotFit = () =>
  new OperatorError('The backup has other tables than this version of the portal: use the version that made it.')
