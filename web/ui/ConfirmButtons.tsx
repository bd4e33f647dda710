import { Button, Group } from '@mantine/core'

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
        color="red"
        loading={pending}
        disabled={disabled}
        {...(onConfirm ? { onClick: onConfirm } : { type: 'submit' })}
      >
        {action}
      </Button>
    </Group>
  )
}
