import { Alert } from '@mantine/core'
import { type ComponentType, lazy } from 'react'
import { notLoaded } from '../api/not-loaded.ts'

/** A part of a page whose code comes after it. If it cannot be loaded, its place says so, and the page stays. */
export const lazyPart = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() => load().catch(async () => insteadOf(await notLoaded())))

const insteadOf = ({ message }: Error) => ({
  default: () => (
    <Alert color="yellow" role="alert">
      {message}
    </Alert>
  ),
})
