import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_COMPILE_CACHE } from './compile-cache.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MODULES = join(ROOT, 'node_modules')

/** A separate process that passes or fails. */
export interface Step {
  name: string
  shows: string
  args: string[]
  /** A Vitest run, which writes a report. */
  reports?: true
  /** Added to the current environment. */
  env?: Record<string, string>
  /** The step that this one depends on. */
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

const TSC = 'typescript/bin/tsc'
/** By default there are four, each of which works out most of the types again: twice the work, beside the other steps. */
const ONE_CHECKER = ['--checkers', '1']
/** What has not changed since the last run is not checked again. */
const typesSince = (name: string) => [
  ...['--incremental', '--tsBuildInfoFile', join(MODULES, '.cache', `${name}.tsbuildinfo`)],
  ...ONE_CHECKER,
]

const LINT = program('lint', 'format and lint', '@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')
/** A third of the time of all rules together, since they need types: for `npm test`. */
const NEED_TYPES = ['nursery/noFloatingPromises', 'nursery/noMisusedPromises']
const QUICK_LINT: Step = { ...LINT, args: [...LINT.args, ...NEED_TYPES.map((rule) => `--skip=${rule}`)] }

const TYPES = [
  program('types', 'types of the server, the command line and the tests', TSC, ...typesSince('types')),
  program('web types', 'types of the web interface', TSC, '-p', 'web', ...typesSince('web-types')),
]
const UNUSED = program('unused', 'unused files, exports and dependencies', 'knip/bin/knip.js')

/** On a disk, where a commit takes its time and faults meet it: main.ts moves the others to memory. */
const faultRuns = (project: string, shows: string): Step => ({ ...tests(project, shows), env: { TMPDIR: tmpdir() } })

const FUZZ: Step = {
  name: 'fuzz',
  shows: 'generated documents beside a bystander, half a minute on each database', // with a fixed seed; by hand, each run has a new one
  args: [join(ROOT, 'test', 'fuzz', 'main.ts'), '--seconds', '30', '--seed', '7'],
}

const unitTests = (project: string, shows: string): Step => ({
  ...tests(project, shows),
  env: { NODE_COMPILE_CACHE: TEST_COMPILE_CACHE }, // each worker and thread loads the same files
})

const UNIT = unitTests('unit', 'units, and the API on SQLite')

/** With those that take long, in one run: no core waits for the last file of the others. */
const ALL_UNITS: Step = { ...UNIT, args: [...UNIT.args, '--project', 'unit-long'] }

const REST: Step = browserTests('e2e-rest', 'the rest of the web interface, and each page in dark mode and on a phone')

const ALL_PAGES: Step = { ...REST, args: [...REST.args, '--project', 'e2e-dark', '--project', 'e2e-phone'] }

/** The steps of each command: first static checks (if they fail, no test runs), then the tests, one after the other. */
export const COMMANDS: Record<string, { read: Step[]; test: Step[] }> = {
  check: { read: [QUICK_LINT, ...TYPES], test: [UNIT] },
  test: {
    read: [BUILD, LINT, ...TYPES, UNUSED],
    test: [
      BROWSER,
      ALL_UNITS,
      tests('postgres', 'what differs on PostgreSQL'),
      browserTests('e2e', 'the web interface in a browser: what people do every day'),
      tests('system', 'whole processes'),
      faultRuns('fault', 'the revocation promise under faults, in short'),
    ],
  },
  all: {
    read: [],
    test: [
      BROWSER,
      unitTests('unit-all', 'long lists on SQLite, and what the fuzz run is made of'),
      tests('postgres-all', 'long lists and killed processes on PostgreSQL'),
      ALL_PAGES,
      tests('system-all', 'the rest of whole processes'),
      tests('release', 'the release folder, installed'),
      faultRuns('fault-all', 'all fault runs, in short'),
      FUZZ,
    ],
  },
}
