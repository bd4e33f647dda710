import type { KeyOfPage } from '../../api/api-key.ts'
import { type DotState, StateDot } from '../../ui/StateDot.tsx'

const SOON_MS = 30 * 86_400_000

type Key = Pick<KeyOfPage, 'expired' | 'expiresAt' | 'replacedBy'>

export const KeyState = ({ apiKey }: { apiKey: Key }) => <StateDot {...stateOf(apiKey)} />

function stateOf({ expired, expiresAt, replacedBy }: Key): { state: DotState; words: string } {
  if (expired) return { state: 'none', words: 'Expired' }
  if (replacedBy) return { state: 'half', words: 'Being replaced' }
  const isNear = expiresAt !== null && Date.parse(expiresAt) - Date.now() < SOON_MS
  return isNear ? { state: 'half', words: 'Expires soon' } : { state: 'well', words: 'Active' }
}
