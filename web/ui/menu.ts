import type { ReactElement, Ref } from 'react'

/** A line of a menu: a heading, a link, something to do, or one of several choices. */
export type MenuEntry =
  | 'line'
  | { heading: string }
  | { label: string; to: string; current?: boolean }
  | { label: string; act: () => unknown; danger?: boolean; disabled?: boolean; checked?: boolean }

export interface MenuButtonProps {
  button: ReactElement<{ ref?: Ref<HTMLButtonElement> }>
  entries: MenuEntry[]
  position: 'bottom-start' | 'bottom-end'
  width?: number
}
