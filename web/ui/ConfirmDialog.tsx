import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from './Dialog.tsx'
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
    <Dialog onClose={onClose} title={title}>
      <Stack>
        {children}
        {error && <ErrorAlert error={error} />}
        <ConfirmButtons action={action} pending={pending} onConfirm={confirm} onCancel={onClose} />
      </Stack>
    </Dialog>
  )
}

interface ConfirmButtonsProps {
  action: string
  pending: boolean
  disabled?: boolean
  /** Absent: the button submits the form that it is in. */
  onConfirm?: () => unknown
  onCancel: () => void
}

/** The buttons of a question: Cancel, which has the focus, and the one that cannot be undone. */
export function ConfirmButtons({ action, pending, disabled = false, onConfirm, onCancel }: ConfirmButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel} data-autofocus>
        Cancel
      </Button>
      <Button
        color="danger"
        loading={pending}
        disabled={disabled}
        {...(onConfirm ? { onClick: onConfirm } : { type: 'submit' })}
      >
        {action}
      </Button>
    </Group>
  )
}
