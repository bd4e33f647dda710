import { type ComponentType, useEffect, useRef, useState } from 'react'
import { unreachable } from '../api/client.ts'
import { notifyError } from './notify.ts'

interface Closable {
  onClose: () => void
}

/**
 * A dialog, or another part of a page, whose code is loaded when it is opened. If it cannot be loaded, a message says so,
 * it is closed, and the page stays as it is. The next time it is tried again; some browsers do that after a reload only.
 */
export function lazyDialog<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props & Closable> {
  let loaded: ComponentType<Props> | undefined
  return function LazyDialog(props: Props & Closable) {
    const [Dialog, setDialog] = useState(() => loaded)
    const close = useRef(props.onClose)
    close.current = props.onClose
    useEffect(() => {
      let isGone = false
      load().then(
        (module) => {
          loaded = module.default
          if (!isGone) setDialog(() => module.default)
        },
        () => {
          if (isGone) return
          notifyError(unreachable())
          close.current()
        },
      )
      return () => {
        isGone = true
      }
    }, [])
    return Dialog ? <Dialog {...props} /> : null
  }
}
