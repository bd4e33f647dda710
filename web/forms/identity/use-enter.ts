import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { safeNext } from '../../paths.ts'

/** After signing in: forgets what was loaded before, and goes to an address of ours, or home. */
export function useEnter(): (next?: string) => Promise<void> {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return (next) => {
    queryClient.clear()
    return navigate({ href: safeNext(next), replace: true })
  }
}
