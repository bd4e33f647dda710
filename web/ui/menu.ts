import type { ReactElement, Ref } from 'react'
import type { Drawing } from './icons/icons.ts'

/** A line of a menu: a heading, a link, something to do, one of several choices (`checked`), or one that is on or off. */
export type MenuEntry =
  | 'line'
  | { heading: string }
  | { label: string; to: string; icon?: Drawing; current?: boolean }
  | {
      label: string
      act: () => unknown
      icon?: Drawing
      danger?: boolean
      disabled?: boolean
      checked?: boolean
      isOn?: boolean
    }

export interface MenuButtonProps {
  button: ReactElement<{ ref?: Ref<HTMLButtonElement> }>
  entries: MenuEntry[]
  position: 'bottom-start' | 'bottom-end'
}
