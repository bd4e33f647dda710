import './styles.ts'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { createQueryClient } from './api/query-client.ts'
import { Offline } from './components/Offline.tsx'
import { paths } from './paths.ts'
import { createPortalRouter } from './routes.tsx'
import { inTokens, theme } from './ui/theme.ts'

const queryClient = createQueryClient({
  signedOut() {
    const { pathname, href } = router.latestLocation
    if (!pathname.startsWith('/sign-')) void router.navigate({ href: paths.signIn(href), replace: true })
  },
  stillSignedIn: () => void router.invalidate(),
})
const router = createPortalRouter(queryClient)
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? ''
/** A refusal is no mistake of the page: it is shown in its place, and the console stays quiet. */
const onCaughtError = (error: unknown) => {
  if (!(error instanceof ApiError)) reportError(error)
}
const root = document.getElementById('root')

if (root) {
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={inTokens}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <Notifications position="bottom-right" transitionDuration={0} />
        <Offline />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
