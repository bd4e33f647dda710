/** From the top: a file imports from its own layer or from those below, never from above. */
const LAYERS = {
  processes: ['server/main.ts', 'cli/'],
  app: ['server/app.ts', 'server/doctor/', 'server/process/'],
  endpoints: ['server/endpoints/'],
  slices: [
    'server/api-keys/',
    'server/backup/', // restores unite with the ledger and look at emails, so it is above both
    'server/devices/',
    'server/identity/',
    'server/ledger/',
    'server/mail/',
    'server/organizations/',
    'server/overview/',
    'server/users/',
    'server/webhooks/',
  ],
  audit: ['server/audit/'],
  protocols: ['server/graphql/', 'server/http/'],
  caller: ['server/caller/'],
  db: ['server/db/'],
  config: ['server/config.ts', 'server/config/', 'server/workers/'],
  lib: ['server/lib/', 'bin/sqlite-version.js', 'package.json'],
  secrets: ['server/secrets/'], // the log and the checks of texts, in lib/, find secrets
  // The web interface has layers of its own.
  webRoutes: [
    'web/main.tsx',
    'web/design.tsx',
    'web/styles.ts',
    'web/routes.tsx',
    'web/lazy-page.ts',
    'web/lazy-pages.ts',
    'web/route-search.ts',
  ],
  webBuild: ['web/vite.config.ts', 'web/build/'],
  pages: ['web/pages/'],
  layouts: ['web/layouts/'],
  forms: ['web/forms/'],
  components: ['web/components/'],
  ui: ['web/ui/', 'web/portal.css', 'web/public/'],
  api: ['web/api/', 'web/paths.ts', 'web/limits.ts'],
}

export type Layer = keyof typeof LAYERS

/** The layer that a file belongs to. */
export function layerOf(path: string): Layer | undefined {
  return NAMES.find((name) =>
    LAYERS[name].some((place) => path === place || (place.endsWith('/') && path.startsWith(place))),
  )
}

/** Whether a file of one layer may import from the other. */
export const mayImport = (from: Layer, to: Layer) => NAMES.indexOf(from) <= NAMES.indexOf(to)

const NAMES = Object.keys(LAYERS) as Layer[] // `keys` forgets the names

/** One thing needs another, and the place where it says so. */
export interface Need {
  from: string
  to: string
  at: string
}

/** Every circle in which things need each other, once, the shortest way around. */
export function circlesOf(needs: Need[]): string[] {
  const byFrom = Map.groupBy(needs, (need) => need.from)
  const circles = new Map<string, string>()
  for (const start of byFrom.keys()) {
    const circle = wayBack(start, byFrom)
    const members = circle
      .map((need) => need.from)
      .sort()
      .join(' ')
    if (circle.length > 0 && !circles.has(members)) {
      circles.set(members, circle.map(({ at, to }) => `${at} needs ${to}`).join(', '))
    }
  }
  return [...circles.values()]
}

function wayBack(start: string, byFrom: Map<string, Need[]>): Need[] {
  const seen = new Set<string>()
  const ways: Need[][] = [[]]
  for (const way of ways) {
    for (const need of byFrom.get(way.at(-1)?.to ?? start) ?? []) {
      if (need.to === start) return [...way, need]
      if (!seen.has(need.to)) ways.push([...way, need])
      seen.add(need.to)
    }
  }
  return []
}
