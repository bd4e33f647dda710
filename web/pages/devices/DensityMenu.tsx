import { Button } from '@mantine/core'
import { Icon } from '../../ui/Icon.tsx'
import { IconChevronDown } from '../../ui/icons/icons.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { Density } from './use-density.ts'

/** How close the rows of the list are. */
export const DensityMenu = ({ isCompact, setCompact }: Density) => (
  <MenuButton
    position="bottom-end"
    button={
      <Button variant="subtle" color="neutral" size="compact-sm" ml="auto" rightSection={<Icon of={IconChevronDown} />}>
        Rows
      </Button>
    }
    entries={[
      { label: 'Comfortable', act: () => setCompact(false), checked: !isCompact },
      { label: 'Compact', act: () => setCompact(true), checked: isCompact },
    ]}
  />
)
