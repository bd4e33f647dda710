import { useMatch, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { showsApiKeys, useViewer, type Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { useReturnFocus } from '../ui/use-return-focus.ts'
import { Keys } from './api-keys/Keys.tsx'

/** The keys of one organization, opened from its Users page, or of a personal account, from its Profile page (K5). */
export function ApiKeysPanel() {
  const viewer = useViewer()
  const { routeId } = useMatch({ strict: false })
  const isPersonal = viewer.organization.kind === 'PERSONAL'
  const isHere = routeId.includes('/profile/') === isPersonal && showsApiKeys(viewer)
  return (
    <Keys
      key={viewer.organization.id}
      viewer={viewer}
      isShown={isHere}
      frame={(keys, isCovered) => (
        <Panel viewer={viewer} covered={isCovered}>
          {keys}
        </Panel>
      )}
    />
  )
}

function Panel({ viewer, covered, children }: { viewer: Viewer; covered: boolean; children: ReactNode }) {
  const navigate = useNavigate()
  useReturnFocus()
  const { slug, kind, name } = viewer.organization
  const close = () =>
    navigate({ href: kind === 'PERSONAL' ? paths.profile(slug) : paths.users(slug), replace: true, resetScroll: false })
  return (
    <Dialog title="API Keys" place="side" size="xl" onClose={close} closeOnEscape={!covered}>
      <WindowTitle>{`API Keys · ${name}`}</WindowTitle>
      {children}
    </Dialog>
  )
}

/** The title of the window while this is shown; then it is again what it was. */
function WindowTitle({ children }: { children: string }) {
  useEffect(() => {
    const before = document.title
    document.title = `${children} · Edge Management Portal`
    return () => {
      document.title = before
    }
  }, [children])
  return null
}
