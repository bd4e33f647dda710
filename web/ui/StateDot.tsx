import styles from './StateDot.module.css'

/** All is well, half of it, or nothing any more. */
export type DotState = 'well' | 'half' | 'none'

/** The words say it; the dot, of another colour and shape each, lets the eye find it. */
export function StateDot({ state, words }: { state: DotState; words: string }) {
  return (
    <span className="nowrap">
      <span className={styles['dot']} data-state={state} aria-hidden="true" />
      {words}
    </span>
  )
}
