import { resolve } from 'node:path'
import { type Config, VARIABLES } from '../config.ts'
import { PORTAL } from '../lib/command-name.ts'
import type { FirstStart } from './first-start.ts'

/** The text printed after the start: the URL, and what to do next, ready to paste. */
export function greeting(url: string, config: Pick<Config, 'dataDir' | 'postgres'>, first: FirstStart): string {
  return `${[`Edge Management Portal is at ${url}`, '', ...next(url, commandOn(config), first), ''].join('\n')}\n`
}

/** The command line uses the folder in its own DATA_DIR, so the command names it unless it is the default. */
function commandOn({ dataDir, postgres }: Pick<Config, 'dataDir' | 'postgres'>): string {
  if (postgres || dataDir === resolve(VARIABLES.DATA_DIR)) return PORTAL
  return `DATA_DIR='${dataDir.replaceAll("'", "'\\''")}' ${PORTAL}`
}

function next(url: string, portal: string, first: FirstStart): string[] {
  switch (first.outcome) {
    case 'created demo':
      return [
        'Demo account and API key, shown only once:',
        '',
        `  email     ${first.email}`,
        `  password  ${first.password}`,
        `  API key   ${first.secret}`,
        '',
        'A first call:',
        '',
        `curl ${url}/graphql \\`,
        `  -H 'content-type: application/json' -H 'api-secret: ${first.secret}' \\`,
        `  -d '{"query":"{ devices { data { id name } } }"}'`,
      ]
    case 'created admin':
      return [
        `Created the organization ${first.slug} with the Admin ${first.email}. Generate its first API key:`,
        `  ${portal} key generate --org ${first.slug} --label my-script`,
      ]
    case 'empty':
      return [
        'The database is empty. Create an account, then an organization with this Admin:',
        `  ${portal} user create you@example.com`,
        `  ${portal} org create "Acme Edge" --admin you@example.com`,
      ]
    case 'in use':
      return [
        `Another API key:     ${portal} key generate --org ${first.slug ?? 'SLUG'} --label my-script`,
        `Forgotten password:  ${portal} user reset EMAIL`,
      ]
  }
}
