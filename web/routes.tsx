import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { apiKeyQuery } from './api/api-key.ts'
import { apiKeysQuery } from './api/api-keys.ts'
import { auditEventsQuery } from './api/audit.ts'
import { ApiError } from './api/client.ts'
import { deviceQuery, devicesQuery } from './api/devices.ts'
import { activeKeyCountQuery, supportOrganizationsQuery } from './api/organization.ts'
import { overviewQuery } from './api/overview.ts'
import { sessionsQuery } from './api/profile.ts'
import { referenceQuery } from './api/schema-reference.ts'
import { usersQuery } from './api/users.ts'
import { showsApiKeys, viewerQuery } from './api/viewer.ts'
import { webhookQuery, webhooksQuery } from './api/webhooks.ts'
import { PageError, PageLoading, PageMissing } from './components/PageError.tsx'
import { AppShell } from './layouts/AppShell.tsx'
import { FramelessError, FramelessMissing } from './layouts/AuthLayout.tsx'
import * as page from './lazy-pages.ts'
import { keySearch } from './pages/api-keys/key-search.ts'
import { isAnchor, sampleSearch } from './pages/api-pages/api-address.ts'
import { auditSearch, filterOf } from './pages/audit/audit-search.ts'
import { changesSearch } from './pages/changes/changes-search.ts'
import { deviceSearch } from './pages/devices/device-search.ts'
import { deliverySearch } from './pages/webhooks/delivery-search.ts'
import { paths } from './paths.ts'
import { next, searched, stringifySearch, userSearch, webhookSearch } from './route-search.ts'

interface RouterContext {
  queryClient: QueryClient
}

const root = createRootRouteWithContext<RouterContext>()({ component: Outlet, notFoundComponent: FramelessMissing })

const atRoot = { getParentRoute: () => root }
const signIn = createRoute({ ...atRoot, path: '/sign-in', validateSearch: next, component: page.SignInPage })
const signUp = createRoute({ ...atRoot, path: '/sign-up', validateSearch: next, component: page.SignUpPage })
const invitation = createRoute({
  ...atRoot,
  path: '/invitations',
  errorComponent: FramelessError,
  component: page.InvitationPage,
})
const reset = createRoute({ ...atRoot, path: '/reset-password', component: page.ResetPasswordPage })
const verifyEmail = createRoute({ ...atRoot, path: '/verify-email', component: page.VerifyEmailPage })
const forgotPassword = createRoute({ ...atRoot, path: '/forgot-password', component: page.ForgotPasswordPage })

/** Everything that needs a session: others sign in first, and come back afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: AppShell,
  errorComponent: FramelessError,
  // Before any other request; the query client redirects people who are not signed in.
  beforeLoad: async ({ context, params }) => {
    const { slug } = params as { slug?: string } // from whichever child is being shown
    await context.queryClient.ensureQueryData(viewerQuery(slug))
  },
})
const inShell = { getParentRoute: () => signedIn }

const home = createRoute({
  ...inShell,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { organizations, organization } = await context.queryClient.ensureQueryData(viewerQuery(undefined))
    const first = organizations.find(({ kind }) => kind === 'ORGANIZATION') ?? organization
    throw redirect({ href: paths.overview(first.slug) })
  },
})

const support = createRoute({
  ...inShell,
  path: '/support',
  validateSearch: searched,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps, cause }) => {
    if (cause === 'stay') return // the page keeps what it shows until the rest is there
    const { support } = await queryClient.ensureQueryData(viewerQuery(undefined))
    if (!support) return
    await queryClient.ensureInfiniteQueryData(supportOrganizationsQuery(deps.search))
  },
  component: page.SupportPage,
})

const overview = createRoute({
  ...inShell,
  path: '/$slug/overview',
  loader: async ({ context, params }) => {
    await context.queryClient.ensureQueryData(overviewQuery(params.slug))
  },
  component: page.OverviewPage,
})

const devices = createRoute({
  ...inShell,
  path: '/$slug/devices',
  validateSearch: deviceSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context, params, deps, cause }) => {
    if (cause === 'stay') return // the page keeps what it shows until the rest is there
    await context.queryClient.ensureQueryData(devicesQuery(params.slug, deps)).catch((error) => {
      if (!(error instanceof ApiError) || error.field !== 'after') throw error
      throw redirect({ href: paths.devices(params.slug) }) // a mistyped page: the first one
    })
  },
  component: page.DevicesPage,
})

const device = createRoute({
  ...inShell,
  path: '/$slug/devices/$id',
  loader: async ({ context, params }) => {
    await context.queryClient.ensureQueryData(deviceQuery(params.slug, params.id))
  },
  component: page.DevicePage,
})

const users = createRoute({
  ...inShell,
  path: '/$slug/users',
  validateSearch: userSearch,
  loaderDeps: ({ search: { order } }) => ({ order }),
  loader: async ({ context, params, deps, cause }) => {
    if (cause === 'stay') return // the page keeps what it shows until the rest is there
    await context.queryClient.ensureInfiniteQueryData(usersQuery(params.slug, deps))
  },
  component: page.UsersPage,
})

const profile = createRoute({
  ...inShell,
  path: '/$slug/profile',
  loader: async ({ context }) => {
    await context.queryClient.ensureQueryData(sessionsQuery)
  },
  component: page.ProfilePage,
})

const panelOf = {
  path: '/api-keys',
  component: page.ApiKeysPanel,
  loader: fetchKeys,
  validateSearch: keySearch,
} as const
const usersApiKeys = createRoute({ getParentRoute: () => users, ...panelOf })
const profileApiKeys = createRoute({ getParentRoute: () => profile, ...panelOf })

/** Prefetched, not awaited: the panel opens at once and shows its own errors. */
async function fetchKeys({ context, params }: { context: RouterContext; params: { slug: string } }): Promise<void> {
  const viewer = await context.queryClient.ensureQueryData(viewerQuery(params.slug)).catch(() => undefined)
  if (!viewer || !showsApiKeys(viewer)) return
  void context.queryClient.prefetchQuery(apiKeysQuery(params.slug))
}

const apiKeys = createRoute({
  ...inShell,
  path: '/$slug/api-keys',
  component: page.ApiKeysPage,
  loader: fetchKeys,
  validateSearch: keySearch,
})

const apiKey = createRoute({
  ...inShell,
  path: '/$slug/api-keys/$id',
  loader: async ({ context: { queryClient }, params: { slug, id } }) => {
    const { role } = await queryClient.ensureQueryData(viewerQuery(slug))
    if (role !== 'ADMIN') return
    await queryClient.ensureQueryData(apiKeyQuery(slug, id))
  },
  component: page.ApiKeyPage,
})

const apiKeyChanges = createRoute({
  ...inShell,
  path: '/$slug/api-keys/$id/changes',
  validateSearch: changesSearch,
  component: page.ApiKeyChangesPage,
})

const api = createRoute({
  ...inShell,
  path: '/$slug/api',
  validateSearch: sampleSearch,
  beforeLoad: ({ location: { hash }, params: { slug } }) => {
    if (isAnchor(hash)) throw redirect({ href: `${paths.apiReference(slug)}#${hash}`, replace: true })
  },
  component: page.ApiPage,
})
const apiExplorer = createRoute({ ...inShell, path: '/$slug/api/explorer', component: page.ApiExplorerPage })
const apiReference = createRoute({
  ...inShell,
  path: '/$slug/api/reference',
  validateSearch: searched,
  loader: async ({ context: { queryClient } }) => {
    await queryClient.ensureQueryData(referenceQuery)
  },
  component: page.ApiReferencePage,
})

const settings = createRoute({
  ...inShell,
  path: '/$slug/settings',
  loader: async ({ context: { queryClient }, params: { slug } }) => {
    const { role, organization } = await queryClient.ensureQueryData(viewerQuery(slug))
    if (role !== 'ADMIN') return
    await Promise.all([
      queryClient.ensureQueryData(activeKeyCountQuery(slug)),
      organization.apiKeysEnabled || queryClient.ensureQueryData(apiKeysQuery(slug)),
    ])
  },
  component: page.SettingsPage,
})

const webhooks = createRoute({
  ...inShell,
  path: '/$slug/settings/webhooks',
  validateSearch: webhookSearch,
  loader: async ({ context: { queryClient }, params: { slug } }) => {
    const { role } = await queryClient.ensureQueryData(viewerQuery(slug))
    if (role !== 'ADMIN') return
    await queryClient.ensureQueryData(webhooksQuery(slug))
  },
  component: page.WebhooksPage,
})

const webhook = createRoute({
  ...inShell,
  path: '/$slug/settings/webhooks/$id',
  validateSearch: deliverySearch,
  loader: async ({ context: { queryClient }, params: { slug, id } }) => {
    const { role } = await queryClient.ensureQueryData(viewerQuery(slug))
    if (role !== 'ADMIN') return
    await queryClient.ensureQueryData(webhookQuery(slug, id))
  },
  component: page.WebhookPage,
})

const audit = createRoute({
  ...inShell,
  path: '/$slug/audit',
  validateSearch: auditSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, params: { slug }, deps, cause }) => {
    if (cause === 'stay') return // the page keeps what it shows until the rest is there
    const { role } = await queryClient.ensureQueryData(viewerQuery(slug))
    if (role !== 'ADMIN') return
    await queryClient.ensureInfiniteQueryData(auditEventsQuery(slug, filterOf(deps)))
  },
  component: page.AuditPage,
})

const routeTree = root.addChildren([
  signIn,
  signUp,
  invitation,
  reset,
  verifyEmail,
  forgotPassword,
  signedIn.addChildren([
    home,
    support,
    overview,
    devices,
    device,
    users.addChildren([usersApiKeys]),
    profile.addChildren([profileApiKeys]),
    apiKeys,
    apiKey,
    apiKeyChanges,
    api,
    apiExplorer,
    apiReference,
    settings,
    webhooks,
    webhook,
    audit,
  ]),
])

export function createPortalRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    stringifySearch,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageError,
    defaultPendingComponent: PageLoading,
    defaultNotFoundComponent: PageMissing,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPortalRouter>
  }
}
