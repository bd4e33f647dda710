import { Button } from '@mantine/core'
import { ChevronIcon } from '../../ui/icons.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { Asked } from './DeviceDialogs.tsx'

interface DeviceActionsProps {
  isAdmin: boolean
  onAsk: (asked: Asked) => void
}

/**
 * What can be done with the list as a whole: add to it, take it along. The same whether it is empty or not: a button
 * that goes when the first device is there would lose the focus that a dialog returned.
 */
export function DeviceActions({ isAdmin, onAsk }: DeviceActionsProps) {
  return (
    <>
      <MenuButton
        position="bottom-end"
        width={200}
        button={
          <Button variant="default" rightSection={<ChevronIcon />}>
            {isAdmin ? 'Import and export' : 'Export'}
          </Button>
        }
        entries={[
          ...(isAdmin ? [{ label: 'Import', act: () => onAsk('import') }, 'line' as const] : []),
          { label: 'Export as CSV', act: () => onAsk('csv') },
          { label: 'Export as JSON', act: () => onAsk('json') },
        ]}
      />
      {isAdmin && <Button onClick={() => onAsk('add')}>Add device</Button>}
    </>
  )
}
