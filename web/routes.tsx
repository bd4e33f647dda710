import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiError } from './api/client.ts'
import { usersQuery } from './api/users.ts'
import { viewerQuery } from './api/viewer.ts'
import { Frame } from './components/Frame.tsx'
import { PageError } from './components/PageError.tsx'
import { PageLoading } from './components/PageLoading.tsx'
import { PageMissing } from './components/PageMissing.tsx'
import { paths, safeNext } from './paths.ts'

interface RouterContext {
  queryClient: QueryClient
}

const root = createRootRouteWithContext<RouterContext>()({ component: Outlet, notFoundComponent: PageMissing })

const next = (search: Record<string, unknown>) => ({
  ...(search['next'] !== undefined && { next: safeNext(search['next']) }),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: next,
  component: lazyRouteComponent(() => import('./pages/SignInPage.tsx'), 'SignInPage'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: next,
  component: lazyRouteComponent(() => import('./pages/SignUpPage.tsx'), 'SignUpPage'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$token',
  component: lazyRouteComponent(() => import('./pages/InvitationPage.tsx'), 'InvitationPage'),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset/$token',
  component: lazyRouteComponent(() => import('./pages/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
})

/** Everything behind the sign-in: who is not signed in goes there first, and comes back afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Frame,
  loader: async ({ context, location, params }) => {
    const { slug } = params as { slug?: string } // of whichever child is being shown
    try {
      return await context.queryClient.ensureQueryData(viewerQuery(slug))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') {
        throw redirect({ href: paths.signIn(location.href) })
      }
      throw error
    }
  },
})

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { organizations, organization } = await context.queryClient.ensureQueryData(viewerQuery(undefined))
    const first = organizations.find(({ kind }) => kind === 'ORGANIZATION') ?? organization
    throw redirect({ href: paths.devices(first.slug) })
  },
})

const support = createRoute({
  getParentRoute: () => signedIn,
  path: '/support',
  component: lazyRouteComponent(() => import('./pages/SupportPage.tsx'), 'SupportPage'),
})

const devices = createRoute({
  getParentRoute: () => signedIn,
  path: '/$slug/devices',
  component: lazyRouteComponent(() => import('./pages/DevicesPage.tsx'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => signedIn,
  path: '/$slug/devices/$id',
  component: lazyRouteComponent(() => import('./pages/DevicePage.tsx'), 'DevicePage'),
})

const users = createRoute({
  getParentRoute: () => signedIn,
  path: '/$slug/users',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(usersQuery(params.slug)),
  component: lazyRouteComponent(() => import('./pages/UsersPage.tsx'), 'UsersPage'),
})

const profile = createRoute({
  getParentRoute: () => signedIn,
  path: '/$slug/profile',
  component: lazyRouteComponent(() => import('./pages/ProfilePage.tsx'), 'ProfilePage'),
})

const apiKeysPanel = lazyRouteComponent(() => import('./panels/ApiKeysPanel.tsx'), 'ApiKeysPanel')
const usersApiKeys = createRoute({ getParentRoute: () => users, path: '/api-keys', component: apiKeysPanel })
const profileApiKeys = createRoute({ getParentRoute: () => profile, path: '/api-keys', component: apiKeysPanel })

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/$slug/settings',
  component: lazyRouteComponent(() => import('./pages/SettingsPage.tsx'), 'SettingsPage'),
})

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/$slug/audit',
  component: lazyRouteComponent(() => import('./pages/AuditPage.tsx'), 'AuditPage'),
})

const routeTree = root.addChildren([
  signIn,
  signUp,
  invitation,
  reset,
  signedIn.addChildren([
    home,
    support,
    devices,
    device,
    users.addChildren([usersApiKeys]),
    profile.addChildren([profileApiKeys]),
    settings,
    audit,
  ]),
])

export function createPortalRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
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
