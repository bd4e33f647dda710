import type { ErrorComponentProps } from '@tanstack/react-router'
import { PageError } from '../components/PageError.tsx'
import { PageMissing } from '../components/PageMissing.tsx'

/** The same pages without the app shell around them. */
export const FramelessError = (props: ErrorComponentProps) => (
  <main id="main">
    <PageError {...props} />
  </main>
)

export const FramelessMissing = () => (
  <main id="main">
    <PageMissing />
  </main>
)
