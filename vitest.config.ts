import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SCREENS } from './test/support/browser/screens.ts'
import { removeSettings } from './test/support/environment.ts'

removeSettings(process.env)

/** Vitest leaves one core to itself, which on two cores is half of them. */
const ALL_CORES = Math.max(2, availableParallelism())
/** A file that waits, for a database or a page, leaves its core to another. */
const MORE_THAN_CORES = ALL_CORES + 1

/** Chosen by their folder; in all others the suffixes say when and on which database a test runs: see CONTRIBUTING.md. */
const FOLDERS = ['test/{e2e,system,release}/**', 'test/fault/{all,short}/**']
const LONG = '**/*.long.test.ts'
const ALL = '**/*.all.test.ts'
const SYSTEM = '**/*.system.test.ts'
const POSTGRES = '**/*.postgres.test.ts'
const SCREENS_TOO = 'test/e2e/*.screens{,.all}.test.ts'
const POSTGRES_ALL = '**/*.postgres.all.test.ts'

interface Tests {
  name: string
  include: string[]
  exclude?: string[]
}

const tests = ({ name, include, exclude = [] }: Tests, timeoutMs: number, groupOrder: number) => ({
  name,
  include,
  exclude: ['**/node_modules/**', ...exclude],
  testTimeout: timeoutMs,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
  sequence: { groupOrder },
})

/** Units, and the API on SQLite. */
const unitTests = (given: Tests) => ({
  extends: true as const,
  test: {
    ...tests({ ...given, exclude: [...FOLDERS, SYSTEM, POSTGRES, POSTGRES_ALL, ...(given.exclude ?? [])] }, 60_000, 0),
    pool: 'threads' as const,
    maxWorkers: MORE_THAN_CORES,
  },
})

/** Each world on a PostgreSQL database of its own. */
const postgresTests = (given: Tests) => ({
  extends: true as const,
  test: {
    ...tests(given, 60_000, 1),
    globalSetup: 'test/support/postgres/postgres-setup.ts',
    maxWorkers: MORE_THAN_CORES,
  },
})

/** The web interface in a real browser. */
const browserTests = (given: Tests, screen: (typeof SCREENS)[keyof typeof SCREENS]) => ({
  extends: true as const,
  test: {
    ...tests(given, 60_000, 2),
    expect: { poll: { timeout: 20_000 } },
    provide: { screen },
    globalSetup: 'test/support/browser/browser-setup.ts',
    maxWorkers: MORE_THAN_CORES,
  },
})

/** Whole processes are started, starved and killed here: after everything else, two files at a time. */
const systemTests = (given: Tests, timeoutMs = 300_000, groupOrder = 3, maxWorkers = 2) => ({
  extends: true as const,
  test: { ...tests(given, timeoutMs, groupOrder), globalSetup: 'test/support/process/bundle-setup.ts', maxWorkers },
})

/** Some of the fault runs at their shortest, or all of them in short; `npm run test:fault` has them in full. */
const faultRuns = (given: Tests) => systemTests(given, 1_800_000, 4, MORE_THAN_CORES)

export default defineConfig({
  test: {
    // Node.js itself loads what is tested, as it does in production, so there is one copy of `graphql` and no transform.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Test files share a worker and what it has loaded: nothing here keeps state at module level.
    isolate: false,
    projects: [
      unitTests({ name: 'unit', include: ['**/*.test.ts'], exclude: [LONG, ALL] }),
      unitTests({ name: 'unit-long', include: [LONG] }),
      unitTests({ name: 'unit-all', include: [ALL] }),
      postgresTests({ name: 'postgres', include: [POSTGRES, '**/*.both.test.ts', '**/*.both.long.test.ts'] }),
      postgresTests({ name: 'postgres-all', include: [POSTGRES_ALL, '**/*.both.all.test.ts'] }),
      browserTests({ name: 'e2e', include: ['test/e2e/*.test.ts'], exclude: [ALL] }, SCREENS.light),
      browserTests({ name: 'e2e-rest', include: ['test/e2e/*.all.test.ts'] }, SCREENS.light),
      browserTests({ name: 'e2e-dark', include: [SCREENS_TOO] }, SCREENS.dark),
      browserTests({ name: 'e2e-phone', include: [SCREENS_TOO] }, SCREENS.phone),
      systemTests({ name: 'system', include: ['test/system/*.test.ts', SYSTEM] }),
      systemTests({ name: 'system-all', include: ['test/system/all/*.test.ts'] }),
      {
        // The release folder as an operator gets it, installed by npm itself.
        extends: true,
        test: {
          ...tests({ name: 'release', include: ['test/release/*.test.ts'] }, 300_000, 3),
          fileParallelism: false,
        },
      },
      faultRuns({ name: 'fault', include: ['test/fault/short/*.test.ts'] }),
      faultRuns({ name: 'fault-all', include: ['test/fault/all/*.test.ts'] }),
    ],
  },
})
