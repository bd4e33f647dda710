import { type ReactNode, Suspense } from 'react'
import { mustVerifyEmail, useViewer } from '../api/viewer.ts'
import { lazyPart } from '../ui/lazy-part.tsx'

const VerifyEmail = lazyPart(() => import('./VerifyEmail.tsx')) // most people have done it, and load nothing for it

/** What is for people with a verified address; for others, how to get one. */
export function WhenVerified({ children }: { children?: ReactNode }) {
  if (!mustVerifyEmail(useViewer())) return children
  return (
    <Suspense>
      <VerifyEmail />
    </Suspense>
  )
}
