import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    linkToken?: string
  }
}

/**
 * The token of a link, which stands behind its #, where no server and no log sees it. It is taken out of the address bar at
 * once; a reload of the page still has it. Empty where the link was not whole.
 */
export function useLinkToken(): string {
  const { hash, state } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    if (hash === '') return
    void navigate({ to: '.', hash: '', replace: true, state: (before) => ({ ...before, linkToken: hash }) })
  }, [hash, navigate])
  return hash || (state.linkToken ?? '')
}
