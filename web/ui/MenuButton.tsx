import { cloneElement, useState } from 'react'
import { notLoaded } from '../api/not-loaded.ts'
import type { MenuButtonProps } from './menu.ts'
import { notifyError } from './notify.ts'

const load = () => import('./MenuList.tsx')
const loadAhead = () => void load().catch(() => undefined)

/** A button with a menu. The button renders at once; the menu's code loads on hover or focus. */
export function MenuButton(props: MenuButtonProps) {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof load>>>()
  if (loaded) return <loaded.default {...props} />
  const open = async () => {
    try {
      setLoaded(await load())
    } catch {
      notifyError(await notLoaded())
    }
  }
  return cloneElement(props.button, {
    onClick: open,
    onPointerEnter: loadAhead,
    onFocus: loadAhead,
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  } as object)
}
