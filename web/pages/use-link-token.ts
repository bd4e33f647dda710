import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    linkToken?: string
    remainingKeys?: number
  }
}

/**
 * The token of a link, which stands behind its #, where no server and no log sees it. It is taken out of the address bar at
 * once; until it is forgotten, a reload of the page still has it. Empty where the link was not whole.
 */
export function useLinkToken(): { token: string; forgetToken: () => Promise<void> } {
  const { hash, state } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    if (hash === '') return
    void navigate({ to: '.', hash: '', replace: true, state: (before) => ({ ...before, linkToken: hash }) })
  }, [hash, navigate])
  const forgetToken = () => navigate({ to: '.', hash: '', replace: true, state: {} })
  return { token: hash || (state.linkToken ?? ''), forgetToken }
}
