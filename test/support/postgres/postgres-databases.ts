import { randomBytes } from 'node:crypto'
import { askOnce } from './postgres-sql.ts'

/** What the tests of one run share: a server, and on it a database that is migrated and never used, to copy from. */
export interface PostgresOfRun {
  url: string
  template: string
}

/** The address of another database on a server. */
export function urlOf(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

/** Names begin with that of the run's template, so that the run can find them again. */
export async function copyTemplate({ url, template }: PostgresOfRun): Promise<string> {
  const name = `${template}_${randomBytes(8).toString('hex')}`
  await askOnce(url)((sql) => sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`)
  return name
}

export const dropDatabase = (url: string, name: string): Promise<unknown> =>
  askOnce(url)((sql) => sql`drop database if exists ${sql(name)} with (force)`)

/** Makes the empty database that is going to be the template; its name is like no other, wherever the server is. */
export async function createTemplate(url: string): Promise<string> {
  const name = `portal_test_${randomBytes(6).toString('hex')}`
  await askOnce(url)((sql) => sql`create database ${sql(name)}`)
  return name
}

/** From now on nobody can connect to it: a template that is in use cannot be copied. */
export const sealTemplate = ({ url, template }: PostgresOfRun): Promise<unknown> =>
  askOnce(url)((sql) => sql`alter database ${sql(template)} allow_connections false`)

/** Leaves nothing behind of a run, not even what a test forgot. */
export async function dropTemplate({ url, template }: PostgresOfRun): Promise<void> {
  const names = await askOnce(url)(
    (sql) => sql<{ name: string }[]>`select datname as name from pg_database where starts_with(datname, ${template})`,
  )
  for (const { name } of names) await dropDatabase(url, name)
}
