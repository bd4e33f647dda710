import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isAnchor } from './api-address.ts'

/** Goes to the place in the reference that the address names; if a search leaves it out, the search ends. */
export function useAnchor(search: string): void {
  const { hash, key } = useLocation({ select: ({ hash, state }) => ({ hash, key: state.__TSR_key }) })
  const navigate = useNavigate({ from: '/$slug/api/reference' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same link again leads there again
  useEffect(() => {
    if (!isAnchor(hash)) return
    const place = document.getElementById(hash)
    if (!place && search) void navigate({ search: {}, hash, replace: true })
    place?.scrollIntoView()
    place?.focus({ preventScroll: true }) // the next Tab is from there
  }, [hash, key, search, navigate])
}
