import { VARIABLES } from '../../server/config.ts'

const SETTINGS = new Set([
  ...Object.keys(VARIABLES).flatMap((name) => [name, `${name}_FILE`]),
  ...['PORTAL_URL', 'API_SECRET', 'WEBHOOK_SECRET'], // read by the command line and the samples
  ...['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY'], // curl asks even for loopback there
])
/** Clients of PostgreSQL read some thirty, and a commit hook has those of Git for another folder. */
const FAMILIES = ['PG', 'GIT_']

/**
 * Removes the settings of whoever runs the tests: a test, and each process that it starts, has those that the test gives
 * and no others.
 */
export function removeSettings(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(env))
    if (SETTINGS.has(name) || FAMILIES.some((family) => name.startsWith(family))) delete env[name]
}

/** For a process: what a shell has in any case. Vitest sets variables of its own in a test, BASE_URL among them. */
export const plainEnv = () => ({ PATH: process.env['PATH'], HOME: process.env['HOME'] })
