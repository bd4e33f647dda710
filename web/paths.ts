/** Every address of the web interface, so that no other file spells one. */
export const paths = {
  home: () => '/',
  signIn: (next?: string) => (next && next !== '/' ? `/sign-in?next=${encodeURIComponent(next)}` : '/sign-in'),
  signUp: (next?: string) => (next && next !== '/' ? `/sign-up?next=${encodeURIComponent(next)}` : '/sign-up'),
  devices: (slug: string) => `/${slug}/devices`,
  device: (slug: string, id: string) => `/${slug}/devices/${id}`,
  users: (slug: string) => `/${slug}/users`,
  usersApiKeys: (slug: string) => `/${slug}/users/api-keys`,
  profile: (slug: string) => `/${slug}/profile`,
  profileApiKeys: (slug: string) => `/${slug}/profile/api-keys`,
  settings: (slug: string) => `/${slug}/settings`,
  audit: (slug: string) => `/${slug}/audit`,
  support: () => '/support',
} as const

/** Where to go after signing in: an address of ours, or home. */
export function safeNext(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : paths.home()
}
