import type { Descendant } from '../../api/descendants.ts'
import styles from './LineageTree.module.css'

interface LineageTreeProps {
  rootId: string
  made: readonly Descendant[]
  /** Whether they go too. */
  andMade: boolean
}

/** Deeper ones are drawn no further in: a key that replaces itself every night makes a long line. */
const DEEPEST = 5

/** Which key generated which, below the one that is to be revoked; in a box of its own, however many they are. */
export function LineageTree({ rootId, made, andMade }: LineageTreeProps) {
  const rows = inTreeOrder(rootId, made)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard
    <section className={styles['tree']} aria-label="Keys that it generated" tabIndex={0}>
      <ul>
        {rows.map(({ id, label, depth }) => (
          <li key={id} className={styles[`depth${Math.min(depth, DEEPEST)}`]}>
            <b>{label}</b> {andMade ? '(will be revoked)' : '(stays active)'}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Each behind its parent. Without recursion: the line may be long. */
function inTreeOrder(rootId: string, made: readonly Descendant[]): (Descendant & { depth: number })[] {
  const byParent = Map.groupBy(made, ({ parentId }) => parentId)
  const childrenOf = (id: string, depth: number) =>
    (byParent.get(id) ?? []).map((each) => ({ ...each, depth })).toReversed()
  const rows = []
  const waiting = childrenOf(rootId, 1)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    rows.push(next)
    waiting.push(...childrenOf(next.id, next.depth + 1))
  }
  return rows
}
