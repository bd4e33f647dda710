import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const MODULES = join(ROOT, 'node_modules')

/** A program of its own that passes or fails. */
export interface Step {
  name: string
  shows: string
  args: string[]
  /** A run of Vitest, which reports each of its tests. */
  reports?: true
  /** Beside the variables of whoever runs it. */
  env?: Record<string, string>
  /** The step without which this one cannot pass. */
  needs?: string
}

const program = (name: string, shows: string, path: string, ...args: string[]): Step => ({
  name,
  shows,
  args: [join(MODULES, path), ...args],
})

const tests = (project: string, shows: string): Step => ({
  ...program(project, shows, 'vitest/vitest.mjs', 'run', '--project', project),
  reports: true,
})

const BROWSER: Step = {
  name: 'browser',
  shows: 'a browser that starts',
  args: [join(ROOT, 'scripts', 'browser', 'main.ts')],
}

const browserTests = (project: string, shows: string): Step => ({ ...tests(project, shows), needs: BROWSER.name })

const BUILD: Step = {
  name: 'web build',
  shows: 'the web interface builds',
  args: [join(ROOT, 'scripts', 'build-web.js')],
}

const STATIC = [
  BUILD,
  program('types', 'types of the server, the command line and the tests', 'typescript/bin/tsc'),
  program('web types', 'types of the web interface', 'typescript/bin/tsc', '-p', 'web'),
  program('lint', 'format and lint', '@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  program('unused', 'unused files, exports and dependencies', 'knip/bin/knip.js'),
]

const FUZZ: Step = {
  name: 'fuzz',
  shows: 'generated documents beside a bystander, half a minute on each database', // of one seed: by hand it is a new one each time
  args: [join(ROOT, 'test', 'fuzz', 'main.ts'), '--seconds', '30', '--seed', '7'],
}

const UNIT: Step = {
  ...tests('unit', 'units, and the API on SQLite'),
  env: { NODE_COMPILE_CACHE: join(MODULES, '.cache', 'compiled') }, // each worker and thread loads the same files
}

/** What each command runs: first what reads the code (nothing is tested where that fails), then the tests, one step after the other. */
export const COMMANDS: Record<string, { read: Step[]; test: Step[] }> = {
  check: { read: STATIC, test: [UNIT] },
  test: {
    read: STATIC,
    test: [
      BROWSER,
      UNIT,
      tests('postgres', 'what differs on PostgreSQL'),
      browserTests('e2e', 'the web interface in a browser: what people do every day'),
      tests('system', 'whole processes'),
      tests('fault', 'the revocation promise under faults, in short'),
    ],
  },
  all: {
    read: [],
    test: [
      BROWSER,
      tests('postgres-all', 'the rest of the API on PostgreSQL'),
      browserTests('e2e-rest', 'the rest of the web interface'),
      browserTests('e2e-dark', 'the web interface in the dark'),
      browserTests('e2e-phone', 'the web interface on a phone'),
      tests('release', 'the release folder, installed'),
      tests('fault-all', 'all fault runs, in short'),
      FUZZ,
    ],
  },
}
