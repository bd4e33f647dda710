import { Alert } from '@mantine/core'
import { type ComponentType, lazy, useEffect, useRef, useState } from 'react'
import { notLoaded } from '../api/not-loaded.ts'
import { notifyError } from './notify.ts'

interface Closable {
  onClose: () => void
}

export type LazyDialog<Props extends object> = ComponentType<Props & Closable> & {
  /** Opens it when its code is there, so that nothing moves twice; if it cannot be loaded, a message says so. */
  whenLoaded: (open: () => void) => Promise<void>
}

/**
 * A dialog, or another part of a page, whose code is loaded when it is opened. If it cannot be loaded, a message says so,
 * it is closed, and the page stays as it is. The next time it is tried again; some browsers do that after a reload only.
 */
export function lazyDialog<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyDialog<Props> {
  let loaded: ComponentType<Props> | undefined
  const loadOnce = async () => {
    loaded ??= (await load()).default
    return loaded
  }
  function Lazy(props: Props & Closable) {
    const [Dialog, setDialog] = useState(() => loaded)
    const close = useRef(props.onClose)
    close.current = props.onClose
    useEffect(() => {
      let isGone = false
      loadOnce().then(
        (dialog) => {
          if (!isGone) setDialog(() => dialog)
        },
        async () => {
          if (isGone) return
          close.current()
          notifyError(await notLoaded())
        },
      )
      return () => {
        isGone = true
      }
    }, [])
    return Dialog ? <Dialog {...props} /> : null
  }
  const whenLoaded = (open: () => void) => loadOnce().then(open, async () => notifyError(await notLoaded()))
  return Object.assign(Lazy, { whenLoaded })
}

/** A part of a page whose code comes after it. If it cannot be loaded, its place says so, and the page stays. */
export const lazyPart = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() => load().catch(async () => insteadOf(await notLoaded())))

const insteadOf = ({ message }: Error) => ({
  default: () => (
    <Alert color="warning" role="alert">
      {message}
    </Alert>
  ),
})
