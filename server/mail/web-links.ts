interface Account {
  slug: string
  kind: 'ORGANIZATION' | 'PERSONAL'
}

/** The pages that emails and commands link to. test/contract/web-routes.test.ts compares them with web/paths.ts. */
export const webLinks = {
  verifyEmail: (origin: string, token: string) => `${origin}/verify-email#${token}`,
  resetPassword: (origin: string, token: string) => `${origin}/reset-password#${token}`,
  invitation: (origin: string, token: string) => `${origin}/invitations#${token}`,
  apiKeys: (origin: string, { slug, kind }: Account) =>
    `${origin}/${slug}/${kind === 'PERSONAL' ? 'profile' : 'users'}/api-keys`,
  apiKeyChanges: (origin: string, slug: string, id: string) => `${origin}/${slug}/api-keys/${id}/changes`,
  audit: (origin: string, slug: string) => `${origin}/${slug}/audit`,
  webhook: (origin: string, slug: string, id: string) => `${origin}/${slug}/settings/webhooks/${id}`,
} as const
