import { Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ConfirmButtons } from './ConfirmButtons.tsx'
import { ErrorAlert } from './ErrorAlert.tsx'
import { useConfirming } from './use-confirming.ts'

interface ConfirmDialogProps {
  title: string
  children: ReactNode
  /** What the button does, in its own words: "Revoke key", never "OK". */
  action: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something that cannot be undone. Nothing happens until its button is pressed; the focus is on Cancel. */
export function ConfirmDialog({ title, children, action, onConfirm, onClose }: ConfirmDialogProps) {
  const { pending, error, confirm } = useConfirming(onConfirm, onClose)
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack>
        {children}
        {error && <ErrorAlert error={error} />}
        <ConfirmButtons action={action} pending={pending} onConfirm={confirm} onCancel={onClose} />
      </Stack>
    </Modal>
  )
}
