import { defineConfig } from 'vitest/config'

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
          exclude: ['**/node_modules/**', 'test/e2e/**', 'test/system/**'],
          testTimeout: 10_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // The web interface in a real browser, which is the machine's to itself: one file at a time.
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 30_000,
          expect: { poll: { timeout: 10_000 } },
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
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
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
