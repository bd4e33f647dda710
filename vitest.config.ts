import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Needs a PostgreSQL to say anything. */
const POSTGRES_ONLY = '**/*.postgres.test.ts'

/** What is tested through a world holds on every database. SQLite itself and its query plans are tested without one. */
const throughWorlds = globSync('{server,cli,test/contract}/**/*.test.ts').filter((path) =>
  /from '[./]+(test\/)?support\/world\.ts'/.test(readFileSync(path, 'utf8')),
)

export default defineConfig({
  test: {
    // Node.js itself loads what is tested, as it does in production, so there is one copy of `graphql` and no transform.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Test files share a worker and what it has loaded: nothing here keeps state at module level.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/e2e/**', 'test/system/**', 'test/fault/short/**', POSTGRES_ONLY],
          testTimeout: 10_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // The API once more, each world on a PostgreSQL database of its own.
        extends: true,
        test: {
          name: 'postgres',
          include: [POSTGRES_ONLY, ...throughWorlds],
          exclude: ['**/node_modules/**'],
          globalSetup: 'test/support/postgres-setup.ts',
          testTimeout: 20_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The web interface in a real browser, which is the machine's to itself: one file at a time. On a starved machine a
        // key may be pressed before the browser is ready for it, so what fails is tried once more, and the report says so.
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          retry: 1,
          expect: { poll: { timeout: 10_000 } },
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Whole processes are started, starved and killed here: one file at a time, after everything else.
        extends: true,
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        // The fault runs, in short; `npm run test:fault` has them in full.
        extends: true,
        test: {
          name: 'fault',
          include: ['test/fault/short/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
