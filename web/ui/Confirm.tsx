import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorAlert } from './ErrorAlert.tsx'
import { useConfirming } from './use-confirming.ts'

interface ConfirmProps {
  title: string
  children: ReactNode
  /** What the button does, in its own words: "Revoke key", never "OK". */
  action: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something that cannot be undone. Nothing happens until its button is pressed; the focus is on Cancel. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  const { pending, error, confirm } = useConfirming(onConfirm, onClose)
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        {children}
        {error && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" onClick={confirm} loading={pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
