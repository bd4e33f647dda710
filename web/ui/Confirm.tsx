import { Button, Group, Modal, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { Trouble } from './Trouble.tsx'

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
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<ApiError>()

  const confirm = async () => {
    if (pending) return
    setPending(true)
    setError(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      setError(thrown)
    } finally {
      setPending(false)
    }
  }

  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        {children}
        {error && <Trouble error={error} />}
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
