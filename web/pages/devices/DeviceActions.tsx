import { Button } from '@mantine/core'
import { ChevronIcon } from '../../ui/icons.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { Asked } from './DeviceDialogs.tsx'

interface DeviceActionsProps {
  isAdmin: boolean
  /** Without devices there is nothing to export. */
  isEmpty: boolean
  onAsk: (asked: Asked) => void
}

/** What can be done with the list as a whole: add to it, take it along. */
export function DeviceActions({ isAdmin, isEmpty, onAsk }: DeviceActionsProps) {
  return (
    <>
      {isEmpty ? (
        <Button variant="default" onClick={() => onAsk('import')}>
          Import
        </Button>
      ) : (
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
      )}
      {isAdmin && <Button onClick={() => onAsk('add')}>Add device</Button>}
    </>
  )
}
