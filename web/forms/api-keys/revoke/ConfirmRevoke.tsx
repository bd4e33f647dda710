import { Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { ConfirmButtons } from '../../../ui/ConfirmButtons.tsx'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { closeLeft } from '../../../ui/notify.ts'
import { useConfirming } from '../../../ui/use-confirming.ts'
import styles from './ConfirmRevoke.module.css'

interface ConfirmRevokeProps {
  title: string
  children: ReactNode
  action: string
  /** What has to be typed before the button works, what it is called, and why. Absent: nothing. */
  typed?: { word: string; label: string; why: string } | undefined
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before keys are revoked. Where something depends on them, a click is not enough. The focus is on Cancel. */
export function ConfirmRevoke({ title, children, action, typed, onConfirm, onClose }: ConfirmRevokeProps) {
  const { pending, error, confirm } = useConfirming(onConfirm, onClose)
  const [text, setText] = useState('')
  useEffect(closeLeft, [])
  const isReady = !typed || text.trim() === typed.word

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) void confirm()
  }

  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Stack gap="xs" className={styles['foot'] ?? ''}>
            <Text role="status">{pending ? 'Revoking …' : typed?.why}</Text>
            {typed && (
              <TextInput
                label={typed.label}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
              />
            )}
            {error && <ErrorAlert error={error} />}
            <ConfirmButtons action={action} pending={pending} disabled={!isReady} onCancel={onClose} />
          </Stack>
        </Stack>
      </form>
    </Modal>
  )
}
