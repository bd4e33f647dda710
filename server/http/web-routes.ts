/**
 * Every path of the web interface, as web/routes.tsx has them: the server answers these with the page, and no other.
 * test/contract/web-routes.test.ts compares the two.
 */
export const WEB_ROUTES = [
  '/',
  '/sign-in',
  '/sign-up',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/invitations',
  '/support',
  '/$slug/overview',
  '/$slug/devices',
  '/$slug/devices/$id',
  '/$slug/users',
  '/$slug/users/api-keys',
  '/$slug/profile',
  '/$slug/profile/api-keys',
  '/$slug/api-keys/$id',
  '/$slug/api-keys/$id/changes',
  '/$slug/api',
  '/$slug/api/explorer',
  '/$slug/api/reference',
  '/$slug/settings',
  '/$slug/settings/webhooks',
  '/$slug/settings/webhooks/$id',
  '/$slug/audit',
]
