import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { keysHeldQuery } from '../api/keys-held.ts'
import { lazyPart } from '../ui/lazy-part.tsx'

const KeysHeldNotice = lazyPart(() => import('./KeysHeldNotice.tsx'))

/** A notice while no key is accepted after a restore (C11). */
export function KeysHeld({ slug }: { slug: string }) {
  const { data: since } = useQuery(keysHeldQuery(slug))
  return <Suspense>{since && <KeysHeldNotice since={since} />}</Suspense>
}
