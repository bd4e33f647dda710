import { Button } from '@mantine/core'
import type { OpenDialog } from '../../forms/api-keys/dialogs.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconDots } from '../../ui/icons/icons.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'

/** For when a secret gets into the wrong hands, and to learn of it. */
export const LeakTools = ({ onOpen }: { onOpen: (dialog: OpenDialog) => void }) => (
  <MenuButton
    position="bottom-end"
    button={
      <Button variant="default" size="xs" px="var(--space-2)" aria-label="More">
        <Icon of={IconDots} />
      </Button>
    }
    entries={[
      { label: 'Report a leaked key', act: () => onOpen({ kind: 'reportLeak' }) },
      { label: 'Canary keys', act: () => onOpen({ kind: 'canaryKeys' }) },
    ]}
  />
)
