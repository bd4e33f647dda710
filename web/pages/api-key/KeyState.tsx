import type { KeyOfPage } from '../../api/api-key.ts'
import { expiresSoon } from '../../components/key-times.ts'
import { type DotState, StateDot } from '../../ui/StateDot.tsx'

type Key = Pick<KeyOfPage, 'expired' | 'expiresAt' | 'notBefore' | 'paused' | 'replacedBy'>

export const KeyState = ({ apiKey }: { apiKey: Key }) => <StateDot {...stateOf(apiKey)} />

function stateOf({ expired, expiresAt, notBefore, paused, replacedBy }: Key): { state: DotState; words: string } {
  if (expired) return { state: 'none', words: 'Expired' }
  if (paused) return { state: 'half', words: 'Paused' }
  if (notBefore !== null && Date.parse(notBefore) > Date.now()) return { state: 'half', words: 'Not accepted yet' }
  if (replacedBy) return { state: 'half', words: 'Being replaced' }
  return expiresAt !== null && expiresSoon(expiresAt)
    ? { state: 'half', words: 'Expires soon' }
    : { state: 'well', words: 'Active' }
}
