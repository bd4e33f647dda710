import { Suspense } from 'react'
import { lazyPart } from '../../../ui/lazy-part.tsx'

const RefusedWhilePaused = lazyPart(() => import('./RefusedWhilePaused.tsx'))

/** Of a paused key, whose details come after the page. */
export const WhilePaused = (props: { slug: string; id: string }) => (
  <Suspense fallback="Paused …">
    <RefusedWhilePaused {...props} />
  </Suspense>
)
