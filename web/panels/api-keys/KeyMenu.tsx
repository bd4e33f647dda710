import { ActionIcon } from '@mantine/core'
import type { Ref } from 'react'
import { DotsIcon } from '../../ui/icons.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { MenuEntry } from '../../ui/menu.ts'

interface KeyMenuProps {
  label: string
  entries: MenuEntry[]
  ref: Ref<HTMLButtonElement>
}

/** What else an Admin can do with a key of the list. */
export const KeyMenu = ({ label, entries, ref }: KeyMenuProps) => (
  <MenuButton
    position="bottom-end"
    button={
      <ActionIcon ref={ref} variant="subtle" color="gray" size={26} aria-label={`Actions for ${label}`}>
        <DotsIcon />
      </ActionIcon>
    }
    entries={entries}
  />
)
