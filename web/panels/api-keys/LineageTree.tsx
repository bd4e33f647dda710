import { Text } from '@mantine/core'
import type { ListedKey } from '../../api/api-keys.ts'
import { LastUse } from './LastUse.tsx'
import styles from './LineageTree.module.css'
import type { Offspring } from './lineage.ts'

interface LineageTreeProps {
  root: Pick<ListedKey, 'id' | 'label'>
  made: readonly Offspring[]
  /** Whether they go too. */
  andMade: boolean
}

/** Deeper ones are drawn no further in: a key that replaces itself every night makes a long line. */
const DEEPEST = 5

/** Which key made which, from the one that is to be revoked. */
export function LineageTree({ root, made, andMade }: LineageTreeProps) {
  return (
    <section className={styles['tree']} aria-label="Keys that it made">
      <ul>
        <li>
          <Fate label={root.label} isGone />
          <Branch parentId={root.id} depth={1} made={made} andMade={andMade} />
        </li>
      </ul>
    </section>
  )
}

interface BranchProps {
  parentId: string
  depth: number
  made: readonly Offspring[]
  andMade: boolean
}

function Branch({ parentId, depth, made, andMade }: BranchProps) {
  const children = made.filter((each) => each.parentId === parentId)
  if (children.length === 0) return null
  return (
    <ul className={depth > DEEPEST ? undefined : styles['branch']}>
      {children.map((apiKey) => (
        <li key={apiKey.id}>
          <Fate label={apiKey.label} isGone={andMade} />{' '}
          <Text span size="sm" c="dimmed">
            <LastUse apiKey={apiKey} />
          </Text>
          <Branch parentId={apiKey.id} depth={depth + 1} made={made} andMade={andMade} />
        </li>
      ))}
    </ul>
  )
}

const Fate = ({ label, isGone }: { label: string; isGone: boolean }) => (
  <>
    <b>{label}</b> {isGone ? '(revoked)' : '(stays)'}
  </>
)
