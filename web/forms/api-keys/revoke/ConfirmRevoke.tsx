import { Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { MAX_REASON } from '../../../limits.ts'
import { ConfirmButtons } from '../../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { tidyText } from '../../../ui/Form.tsx'
import { closeLeft } from '../../../ui/notify.ts'
import { useConfirming } from '../../../ui/use-confirming.ts'
import styles from './ConfirmRevoke.module.css'
import { isConfirmed } from './revoke.ts'

interface ConfirmRevokeProps {
  title: string
  children: ReactNode
  action: string
  /** What has to be typed before the button works, what it is called, and why. Absent: nothing. */
  typed?: { word: string; label: string; why: string } | undefined
  /** Below what has to be typed: something else to do than to revoke. */
  instead?: ReactNode
  /** Whether a reason can be given. */
  asksReason?: boolean
  /** What is said while it is being done. */
  doing?: string
  /** With the reason, if one was given. */
  onConfirm: (reason: string | null) => Promise<unknown>
  /** When it is cancelled, and once it is confirmed unless that is `onDone`. */
  onClose: () => void
  onDone?: () => void
}

/** Asks before keys are revoked. The focus is on Cancel; where something depends on them, on what has to be typed. */
export function ConfirmRevoke({
  title,
  children,
  action,
  typed,
  instead,
  asksReason = true,
  doing = 'Revoking…',
  onConfirm,
  onClose,
  onDone = onClose,
}: ConfirmRevokeProps) {
  const [text, setText] = useState('')
  const [reason, setReason] = useState('')
  const { pending, error, confirm } = useConfirming(() => onConfirm(tidyText(reason) || null), onDone)
  useEffect(closeLeft, [])
  const isReady = !typed || isConfirmed(text, typed.word)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) void confirm()
  }

  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Stack gap="xs" className={styles['foot'] ?? ''}>
            <Text size="sm" role="status">
              {pending ? doing : typed?.why}
            </Text>
            <div className={styles['fields']}>
              {typed && (
                <TextInput
                  data-autofocus
                  label={typed.label}
                  value={text}
                  onChange={(event) => setText(event.currentTarget.value)}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                />
              )}
              {asksReason && (
                <TextInput
                  aria-label="Reason (optional)"
                  placeholder="Reason (optional)"
                  value={reason}
                  onChange={(event) => setReason(event.currentTarget.value)}
                  maxLength={MAX_REASON}
                  autoComplete="off"
                  error={error?.field === 'reason' && error.message}
                />
              )}
            </div>
            {typed && instead}
            {error && error.field !== 'reason' && <ErrorAlert error={error} />}
            <ConfirmButtons action={action} pending={pending} disabled={!isReady} onCancel={onClose} />
          </Stack>
        </Stack>
      </form>
    </Dialog>
  )
}
