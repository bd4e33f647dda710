import { cloneElement, type ReactElement, useState } from 'react'
import { unreachable } from '../api/client.ts'
import { notifyTrouble } from './notify.ts'

/** A line of a menu: a heading, a link, something to do, or one of several choices. */
export type MenuEntry =
  | 'line'
  | { heading: string }
  | { label: string; to: string; current?: boolean }
  | { label: string; act: () => unknown; danger?: boolean; disabled?: boolean; checked?: boolean }

export interface MenuButtonProps {
  button: ReactElement<object>
  entries: MenuEntry[]
  position: 'bottom-start' | 'bottom-end'
  width?: number
}

const load = () => import('./MenuList.tsx')
const loadAhead = () => void load().catch(() => undefined)

/** A button with a menu. The button is there at once; the code of menus comes when somebody reaches for one. */
export function MenuButton(props: MenuButtonProps) {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof load>>>()
  if (loaded) return <loaded.default {...props} />
  const open = async () => {
    try {
      setLoaded(await load())
    } catch {
      notifyTrouble(unreachable())
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
