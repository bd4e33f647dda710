import './styles.ts'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { DesignPage } from './pages/DesignPage.tsx'
import { inTokens, theme } from './ui/theme.ts'

// The parts of the web interface in all their states; `npm run dev` alone serves them, at /design.
const router = createRouter({ routeTree: createRootRoute({ component: DesignPage }) })
const root = document.getElementById('root')

if (root) {
  createRoot(root).render(
    <MantineProvider theme={theme} cssVariablesResolver={inTokens} defaultColorScheme="auto">
      <Notifications position="bottom-right" transitionDuration={0} />
      <RouterProvider router={router} />
    </MantineProvider>,
  )
}
