import type { KeyOfPage } from '../../api/api-key.ts'
import styles from './KeyState.module.css'

const SOON_MS = 30 * 86_400_000

/** The word says it; the dot, of another colour and shape each, lets the eye find it. */
export function KeyState({ apiKey }: { apiKey: Pick<KeyOfPage, 'expired' | 'expiresAt' | 'replacedBy'> }) {
  const { state, words } = stateOf(apiKey)
  return (
    <span className="nowrap">
      <span className={styles['dot']} data-state={state} aria-hidden="true" />
      {words}
    </span>
  )
}

function stateOf({ expired, expiresAt, replacedBy }: Pick<KeyOfPage, 'expired' | 'expiresAt' | 'replacedBy'>) {
  if (expired) return { state: 'ended', words: 'Ended' }
  if (replacedBy) return { state: 'ending', words: 'Being replaced' }
  const isNear = expiresAt !== null && Date.parse(expiresAt) - Date.now() < SOON_MS
  return isNear ? { state: 'ending', words: 'Ends soon' } : { state: 'active', words: 'Active' }
}
