import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode, RefObject } from 'react'
import { Dialog } from './Dialog.tsx'
import styles from './ShownOnce.module.css'
import { useReturnFocus } from './use-return-focus.ts'

interface ShownOnceProps {
  title: string
  children: ReactNode
  /** Above the button, and always in sight. */
  status?: ReactNode
  /** What becomes of a secret that nobody stored. */
  ifLeft: string
  onStored: () => void
  returnTo: RefObject<HTMLElement | null>
  /** What gets the focus afterwards, if it is there. */
  next?: () => HTMLElement | null | undefined
}

const always = () => true

/** A dialog for a secret, which is shown once. It stays until the secret is stored: nothing else closes it, and leaving asks. */
export function ShownOnce({ title, children, status, ifLeft, onStored, returnTo, next }: ShownOnceProps) {
  const leaving = useBlocker({ shouldBlockFn: always, enableBeforeUnload: true, withResolver: true })
  useReturnFocus(returnTo, next)

  const stored = () => {
    leaving.reset?.()
    onStored()
  }
  return (
    <Dialog title={title} size="xl">
      <Stack>
        {children}
        <div className={styles['foot']}>
          {status}
          {leaving.status === 'blocked' && <Leaving ifLeft={ifLeft} stay={leaving.reset} leave={leaving.proceed} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={stored}>
              I have stored it
            </Button>
          </Group>
        </div>
      </Stack>
    </Dialog>
  )
}

function Leaving({ ifLeft, stay, leave }: { ifLeft: string; stay: () => void; leave: () => void }) {
  return (
    <Alert color="warning" role="alert">
      <Text fw={600}>Leave without storing it?</Text>
      <Text size="sm">It cannot be shown again. {ifLeft}</Text>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={stay} autoFocus>
          Stay
        </Button>
        <Button size="xs" variant="default" onClick={leave}>
          Leave anyway
        </Button>
      </Group>
    </Alert>
  )
}
