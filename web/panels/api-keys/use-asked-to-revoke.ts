import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { apiKeysQuery } from '../../api/api-keys.ts'
import type { Asked } from '../../forms/api-keys/dialogs.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The ids of keys that somebody asks to revoke, who came here to be asked whether they mean it. */
    revokes?: string[]
  }
}

/** Asks, once, before keys are revoked that somebody chose elsewhere. */
export function useAskedToRevoke(slug: string, onAsk: (asked: Asked) => void): void {
  const ids = useLocation({ select: ({ state }) => state.revokes })
  const { data: keys } = useQuery({ ...apiKeysQuery(slug), enabled: ids !== undefined })
  const navigate = useNavigate()
  useEffect(() => {
    if (!ids || !keys) return
    void navigate({ to: '.', search: true, state: {}, replace: true, resetScroll: false })
    const chosen = keys.filter(({ id }) => ids.includes(id))
    if (chosen.length > 0) onAsk({ to: 'revokeMany', keys: chosen, wereLeft: true })
  }, [ids, keys, navigate, onAsk])
}
