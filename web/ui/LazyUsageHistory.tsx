import { Suspense } from 'react'
import styles from './LazyUsageHistory.module.css'
import { lazyPart } from './lazy-part.tsx'
import type { UsageHistoryProps } from './UsageHistory.tsx'

const UsageHistory = lazyPart(() => import('./UsageHistory.tsx'))

/** Its code comes after the page, and its place is there from the beginning. */
export const LazyUsageHistory = (props: UsageHistoryProps) => (
  <div className={styles['place']}>
    <Suspense>
      <UsageHistory {...props} />
    </Suspense>
  </div>
)
