import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './portal.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { Offline } from './components/Offline.tsx'
import { paths } from './paths.ts'
import { createPortalRouter } from './routes.tsx'
import { theme } from './ui/theme.ts'

const queryClient = createQueryClient(() => {
  const { pathname, href } = router.state.location
  if (!pathname.startsWith('/sign-')) void router.navigate({ href: paths.signIn(href) })
})
const router = createPortalRouter(queryClient)
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? ''
setNonce(nonce) // for the one style tag that opening a dialog makes
const root = document.getElementById('root')

if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <Notifications position="bottom-right" />
        <Offline />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
