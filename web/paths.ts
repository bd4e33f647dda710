/** Every path that the web interface leads to; no other file of web/ spells one out. What emails link to is in server/mail/web-links.ts. */
export const paths = {
  home: () => '/',
  signIn: (next?: string) => (next && next !== '/' ? `/sign-in?next=${encodeURIComponent(next)}` : '/sign-in'),
  signUp: (next?: string) => (next && next !== '/' ? `/sign-up?next=${encodeURIComponent(next)}` : '/sign-up'),
  forgotPassword: () => '/forgot-password',
  overview: (slug: string) => `/${slug}/overview`,
  devices: (slug: string) => `/${slug}/devices`,
  device: (slug: string, id: string) => `/${slug}/devices/${id}`,
  users: (slug: string) => `/${slug}/users`,
  /** The list of people, with this one alone. */
  user: (slug: string, email: string) => `/${slug}/users?search=${encodeURIComponent(email)}`,
  usersApiKeys: (slug: string) => `/${slug}/users/api-keys`,
  api: (slug: string) => `/${slug}/api`,
  apiExplorer: (slug: string) => `/${slug}/api/explorer`,
  apiReference: (slug: string) => `/${slug}/api/reference`,
  apiKeys: (slug: string) => `/${slug}/api-keys`,
  apiKey: (slug: string, id: string) => `/${slug}/api-keys/${id}`,
  apiKeyChanges: (slug: string, id: string) => `/${slug}/api-keys/${id}/changes`,
  profile: (slug: string) => `/${slug}/profile`,
  profileApiKeys: (slug: string) => `/${slug}/profile/api-keys`,
  settings: (slug: string) => `/${slug}/settings`,
  webhooks: (slug: string) => `/${slug}/settings/webhooks`,
  webhook: (slug: string, id: string) => `/${slug}/settings/webhooks/${id}`,
  audit: (slug: string) => `/${slug}/audit`,
  support: () => '/support',
} as const

/** What the server sends beside the pages: documents for people who write programs. */
export const documents = {
  api: '/docs/api',
  errors: '/docs/errors',
  limits: '/docs/api#limits',
  schema: '/schema.graphql',
  webhooks: '/docs/webhooks',
} as const

interface Account {
  slug: string
  kind: string
  apiKeysEnabled: boolean
}

const MAX_IDS = 100

/** Where the keys of an account are listed: in its panel, only some of them if wanted, or with the feature off in its settings. */
export function keysOf({ slug, kind, apiKeysEnabled }: Account, only: readonly string[] = []): string {
  if (!apiKeysEnabled) return paths.settings(slug)
  const panel = kind === 'PERSONAL' ? paths.profileApiKeys(slug) : paths.usersApiKeys(slug)
  return only.length === 0 ? panel : `${panel}?only=${only.slice(0, MAX_IDS).join('.')}`
}

/** Where to go after signing in: an address of ours, or home. */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/')) return paths.home()
  const here = 'http://here'
  const url = URL.canParse(next, here) ? new URL(next, here) : undefined // as the browser would read it
  const isOurs = url?.origin === here && !url.pathname.startsWith('//')
  return isOurs ? `${url.pathname}${url.search}${url.hash}` : paths.home()
}
