import { type Config, readConfig } from '../config.ts'
import { firstAdminProblems } from '../start/first-start.ts'
import { type Finding, failure, type Installation, success } from './check.ts'

/** The settings, or what is wrong with them; the other checks need them. */
export function readConfiguration(env: Installation['env']): { config: Config } | { finding: Finding } {
  try {
    return { config: readConfig(env, firstAdminProblems) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { finding: failure(message, 'Correct these variables. Everything else is checked once they are right.') }
  }
}

export const configuration = {
  name: 'configuration',
  run: () => [success('All variables have values that the portal accepts.')],
}
