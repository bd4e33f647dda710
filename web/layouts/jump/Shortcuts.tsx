import { Kbd, Table } from '@mantine/core'
import { Dialog } from '../../ui/Dialog.tsx'

const SHORTCUTS = [
  ['Ctrl K', 'Jump to a page, a device, a key or a person; ⌘ K on a Mac'],
  ['/', 'Search on this page'],
  ['?', 'Show this list'],
  ['Esc', 'Close a dialog'],
] as const

/** What the keyboard can do on every page. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <Table>
        <Table.Tbody>
          {SHORTCUTS.map(([keys, effect]) => (
            <Table.Tr key={keys}>
              <Table.Th scope="row">
                <Kbd>{keys}</Kbd>
              </Table.Th>
              <Table.Td>{effect}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  )
}
