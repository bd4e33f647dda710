import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Asked } from '../../forms/api-keys/dialogs.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Somebody came here from the notice of a canary key that was used. */
    showsCanaries?: true
  }
}

/** Shows the canary keys, once, to those who came here for them. */
export function useAskedForCanaries(onAsk: (asked: Asked) => void): void {
  const isAsked = useLocation({ select: ({ state }) => state.showsCanaries })
  const navigate = useNavigate()
  useEffect(() => {
    if (!isAsked) return
    void navigate({ to: '.', search: true, state: {}, replace: true, resetScroll: false })
    onAsk({ to: 'canaryKeys' })
  }, [isAsked, navigate, onAsk])
}
