import { Button } from '@mantine/core'
import type { Ref } from 'react'
import { DotsIcon } from '../../ui/icons.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { MenuEntry } from '../../ui/menu.ts'

interface KeyMenuProps {
  label: string
  entries: MenuEntry[]
  isPending: boolean
  ref: Ref<HTMLButtonElement>
}

/** What else an Admin can do with a key of the list. */
export const KeyMenu = ({ label, entries, isPending, ref }: KeyMenuProps) => (
  <MenuButton
    position="bottom-end"
    button={
      <Button
        ref={ref}
        variant="subtle"
        color="gray"
        size="compact-sm"
        loading={isPending}
        px={4}
        aria-label={`Actions for ${label}`}
      >
        <DotsIcon />
      </Button>
    }
    entries={entries}
  />
)
