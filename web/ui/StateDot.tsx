import styles from './StateDot.module.css'

/** Good, needs attention, or inactive. */
export type DotState = 'well' | 'half' | 'none'

/** A status in words, with a dot that differs in colour and shape. */
export function StateDot({ state, words }: { state: DotState; words: string }) {
  return (
    <span className="nowrap">
      <span className={styles['dot']} data-state={state} aria-hidden="true" />
      {words}
    </span>
  )
}
