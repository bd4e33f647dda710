import type { TestProject } from 'vitest/node'
import { readConfig } from '../../../server/config.ts'
import { migrate } from '../../../server/db/migrate.ts'
import { openDatabase } from '../../../server/db/open.ts'
import { PORTAL_SECRET } from '../world/storage.ts'
import { createTemplate, dropTemplate, type PostgresOfRun, sealTemplate, urlOf } from './postgres-databases.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: PostgresOfRun
  }
}

/** One server for all tests of the project: that of TEST_DATABASE_URL, or one of our own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return prepare(project, given)
  const server = await startPostgres()
  try {
    await prepare(project, server.url())
  } catch (error) {
    await server.close()
    throw error
  }
  return server.close
}

/** Makes the template; gives a way to leave nothing behind. */
async function prepare(project: TestProject, url: string): Promise<() => Promise<void>> {
  const run = { url, template: await createTemplate(url) }
  const database = await openDatabase(readConfig({ DATABASE_URL: urlOf(url, run.template), PORTAL_SECRET }))
  await migrate(database)
  await database.close()
  await sealTemplate(run)
  project.provide('postgres', run)
  return () => dropTemplate(run)
}
