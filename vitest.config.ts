import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { ProvidedContext } from 'vitest'
import { defineConfig } from 'vitest/config'
import { removeSettings } from './test/support/environment.ts'
import { SCREENS } from './test/support/screens.ts'

removeSettings(process.env)

/** Vitest leaves one core to itself, which on two cores is half of them. */
const ALL_CORES = Math.max(2, availableParallelism())

/** Needs a PostgreSQL to say anything. */
const POSTGRES_ONLY = '**/*.postgres.test.ts'

/** What is tested through a world holds on every database. SQLite itself and its query plans are tested without one. */
const throughWorlds = globSync('{server,cli,test/contract}/**/*.test.ts').filter(
  (path) =>
    !/\.(sqlite|postgres)\.test\.ts$/.test(path) &&
    /from '[./]+(test\/)?support\/(fixtures|world)\.ts'/.test(readFileSync(path, 'utf8')),
)

/** Where the two databases are asked in different ways: locks, lookups, clocks, lists. */
const DIFFERS_ON_POSTGRES =
  /\/(webhooks\/(?:delivery|fan-out|retry)|devices\/offline|access|dry-run|idempotency|changed-secret|many-devices|narrowed-key|wider-key|pause|at-once|first-start|ledger\/restore|lookup|rights|person|revoke[\w-]*|rotate[\w-]*|ends[\w-]*|mail|postman|overview|list-[\w-]+|bulk-[\w-]+|upgrade-in-steps|requests-together)\.test\.ts$/

const [differs, same] = [true, false].map((isSo) =>
  throughWorlds.filter((path) => DIFFERS_ON_POSTGRES.test(path) === isSo),
)

/** With more rows, or with processes that are killed in the middle: for `npm run test:all`. */
const LONG_ON_POSTGRES = [
  'cli/commands/restore-killed.postgres.test.ts',
  'server/devices/list-many.test.ts',
  'server/devices/list-orders.test.ts',
  'server/mail/kills.postgres.test.ts',
  'server/webhooks/kills.postgres.test.ts',
]

/** Of what is tested through a world, the files that find most planted faults a second: what `npm run check` has too. */
const QUICK = [
  'server/api-keys/access/{narrowed-key,wider-key}',
  'server/api-keys/canary/canary',
  'server/api-keys/expiry/expiry',
  'server/api-keys/feature-switch',
  'server/api-keys/key-limits',
  'server/api-keys/leaks/report-by-person',
  'server/api-keys/list/list',
  'server/api-keys/pause/pause',
  'server/api-keys/{revoke-many,revoke-rows}',
  'server/api-keys/rotation/rotate',
  'server/devices/{bulk-access,bulk-at-once,bulk-change,bulk-create,device}',
  'server/idempotency/idempotency',
  'server/identity/{email-verification,password-reset,session,sign-in}',
  'server/ledger/{held,restore}',
  'server/{newer-rules,retention}',
  'server/routes/{graphql-response,key-limits,portal-route,revoke-under-way}',
  'server/routes/graphql/{answer,request,route}',
  'server/users/{invitation,membership}',
  'server/webhooks/{addresses,hostile,webhook}',
  'test/contract/{documents,key-access,rights}',
].flatMap((path) => globSync(`${path}.test.ts`))

/** Most of what takes half a second of computing or more, many processes, or the built web interface: for `npm test`. */
const LONG = [
  ...throughWorlds.filter((path) => !QUICK.includes(path)),
  'cli/{older-database,unusable-database,warnings}.test.ts',
  'scripts/browser/program-file.test.ts',
  'server/api-keys/{revoke-cost,calls/call-log,leaks/report}.test.ts',
  'server/backup/{damaged,older}.test.ts',
  'server/db/{ledger-file,upgrade}.test.ts',
  'server/db/sqlite/{database,disk-room,file-lock,heavy-reads,open-files}.test.ts',
  'server/doctor/proxy.sqlite.test.ts',
  'server/graphql/operation.test.ts',
  'server/identity/throttle.test.ts',
  'server/ledger/{comparison,restore-model}.test.ts',
  'server/lib/{leases/leases,old-generation,young-generation}.test.ts',
  'server/mail/{smtp,smtp-tls}.test.ts',
  'test/contract/{api-samples,argument-domains,first-load,lockfile,webhook-samples}.test.ts',
  'test/fault/{history,register}.test.ts',
  'test/fuzz/{documents,judge}.test.ts',
  'web/forms/devices/import/read-devices.test.ts',
]

/** Stops and kills a Valkey, in real time: the same. */
const KILLS_VALKEY = ['server/routes/shared-limits.test.ts', 'server/lib/valkey.test.ts']

/** The API once more, each world on a PostgreSQL database of its own. */
const postgresTests = (name: string, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: ['**/node_modules/**', ...exclude],
    globalSetup: 'test/support/postgres-setup.ts',
    maxWorkers: ALL_CORES,
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    sequence: { groupOrder: 1 },
  },
})

const NOT_UNITS = [
  'test/e2e/**',
  'test/system/**',
  'test/fault/{all,short}/**',
  'test/release/**',
  POSTGRES_ONLY,
  ...KILLS_VALKEY,
]

/** Units, and the API on SQLite. */
const unitTests = (name: string, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: ['**/node_modules/**', ...exclude],
    pool: 'threads' as const,
    maxWorkers: ALL_CORES + 1, // a file that waits leaves its core to another
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    sequence: { groupOrder: 0 },
  },
})

/** What people do every day: sign in, look after devices, users and keys. The others are for `npm run test:all`. */
const EVERY_DAY = [
  'api-keys',
  'api-keys-expiration',
  'api-keys-generate',
  'api-keys-revoke',
  'api-keys-revoke-asks',
  'devices',
  'identity',
  'profile',
  'settings',
  'story-keyboard',
  'users',
].map((name) => `test/e2e/${name}.test.ts`)

/** Whatever the colours: on a wide screen and on a phone alone. */
const LOADS_THE_SAME = ['test/e2e/first-load.test.ts']

interface BrowserTests {
  screen: ProvidedContext['screen']
  include?: string[]
  exclude?: string[]
}

/** The web interface in a real browser, two files at a time. */
const browserTests = (name: string, { screen, include, exclude }: BrowserTests) => ({
  extends: true as const,
  test: {
    name,
    provide: { screen },
    include: include ?? ['test/e2e/**/*.test.ts'],
    exclude: exclude ?? [],
    globalSetup: 'test/support/browser-setup.ts',
    maxWorkers: 2,
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    sequence: { groupOrder: 2 },
  },
})

/** Whole processes are started, starved and killed here: after everything else, two files at a time. */
const systemTests = (name: string, include: string[]) => ({
  extends: true as const,
  test: {
    name,
    include,
    globalSetup: 'test/support/bundle-setup.ts',
    maxWorkers: 2,
    testTimeout: 300_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    sequence: { groupOrder: 3 },
  },
})

/** Some of the fault runs at their shortest, or all of them in short; `npm run test:fault` has them in full. */
const faultRuns = (name: string, include: string) => ({
  extends: true as const,
  test: {
    name,
    include: [include],
    globalSetup: 'test/support/bundle-setup.ts',
    maxWorkers: 2,
    testTimeout: 1_800_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    sequence: { groupOrder: 4 },
  },
})

export default defineConfig({
  test: {
    // Node.js itself loads what is tested, as it does in production, so there is one copy of `graphql` and no transform.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Test files share a worker and what it has loaded: nothing here keeps state at module level.
    isolate: false,
    projects: [
      unitTests('unit', ['**/*.test.ts'], [...NOT_UNITS, ...LONG]),
      unitTests('unit-long', LONG),
      postgresTests('postgres', [POSTGRES_ONLY, ...(differs ?? [])], LONG_ON_POSTGRES),
      postgresTests('postgres-all', [...(same ?? []), ...LONG_ON_POSTGRES]),
      browserTests('e2e', { screen: SCREENS.light, include: EVERY_DAY }),
      browserTests('e2e-rest', { screen: SCREENS.light, exclude: EVERY_DAY }),
      browserTests('e2e-dark', { screen: SCREENS.dark, exclude: LOADS_THE_SAME }),
      browserTests('e2e-phone', { screen: SCREENS.phone }),
      systemTests('system', ['test/system/*.test.ts', ...KILLS_VALKEY]),
      systemTests('system-all', ['test/system/all/*.test.ts']),
      {
        // The release folder as an operator gets it, installed by npm itself.
        extends: true,
        test: {
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 3 },
        },
      },
      faultRuns('fault', 'test/fault/short/**/*.test.ts'),
      faultRuns('fault-all', 'test/fault/all/**/*.test.ts'),
    ],
  },
})
