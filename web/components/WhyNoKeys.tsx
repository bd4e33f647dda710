import { useLocation } from '@tanstack/react-router'
import { Suspense } from 'react'
import { showsApiKeys, useViewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { lazyPart } from '../ui/lazy-part.tsx'

const NoKeysNotice = lazyPart(() => import('./NoKeysNotice.tsx'))

/** Explains why the panel is not shown when its address is opened (F2, W1, W2). */
export function WhyNoKeys() {
  const viewer = useViewer()
  const { pathname } = useLocation()
  const { slug, kind } = viewer.organization
  const onProfile = pathname === paths.profileApiKeys(slug)
  if (!onProfile && pathname !== paths.usersApiKeys(slug)) return null
  if (showsApiKeys(viewer) && !(onProfile && kind === 'ORGANIZATION')) return null
  return (
    <Suspense>
      <NoKeysNotice viewer={viewer} onProfile={onProfile} />
    </Suspense>
  )
}
