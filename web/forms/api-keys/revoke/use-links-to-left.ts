import { useNavigate } from '@tanstack/react-router'
import { useViewer } from '../../../api/viewer.ts'
import { keysOf } from '../../../paths.ts'

/** Where keys that are left are shown; and revoked, after a question, unless the feature is off. */
export function useLinksToLeft() {
  const navigate = useNavigate()
  const { organization } = useViewer()
  return (left: string[]) => ({
    onShow: () => void navigate({ href: keysOf(organization, left) }),
    ...(organization.apiKeysEnabled && {
      onRevoke: () => void navigate({ href: keysOf(organization), state: { revokes: left } }),
    }),
  })
}
