import './styles.ts'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { createQueryClient } from './api/query-client.ts'
import { recordSessionEnd } from './api/session-end.ts'
import { Offline } from './components/Offline.tsx'
import { paths } from './paths.ts'
import { createPortalRouter } from './routes.tsx'
import { copyExactTimes } from './ui/copy-times.ts'
import { hasEntries } from './ui/entered.ts'
import { watchGutter } from './ui/gutter.ts'
import { inTokens, theme } from './ui/theme.ts'

const queryClient = createQueryClient({
  signedOut(wasSignedIn) {
    const { pathname, href } = router.latestLocation
    if (pathname.startsWith('/sign-')) return
    if (wasSignedIn && hasEntries()) return recordSessionEnd(true)
    const state = wasSignedIn ? { sessionEnded: true as const } : {}
    void router.navigate({ href: paths.signIn(href), state, replace: true })
  },
  signedIn: () => recordSessionEnd(false),
  stillSignedIn: () => void router.invalidate(),
})
const router = createPortalRouter(queryClient)
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? ''
/** A refusal is no mistake of the page: it is shown in its place, and the console stays quiet. */
const onCaughtError = (error: unknown) => {
  if (!(error instanceof ApiError)) reportError(error)
}
const root = document.getElementById('root')

watchGutter()
copyExactTimes()
if (root) {
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={inTokens}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <Notifications position="bottom-left" transitionDuration={0} className="notices" />
        <Offline />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
