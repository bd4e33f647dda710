import { Alert, Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { sendVerificationEmail } from '../api/mail.ts'
import { mustVerifyEmail, useViewer } from '../api/viewer.ts'
import { ErrorAlert } from '../ui/ErrorAlert.tsx'
import { notifyDone } from '../ui/notify.ts'
import { useConfirming } from '../ui/use-confirming.ts'

/** What is for people with a verified address; for others, how to get one. */
export function WhenVerified({ children }: { children?: ReactNode }) {
  return mustVerifyEmail(useViewer()) ? <VerifyEmail /> : children
}

/** For people who have not verified their address: why it matters, and a button to send the email again (C14). */
function VerifyEmail() {
  const viewer = useViewer()
  const email = viewer.user?.email ?? ''
  const send = async () => {
    await sendVerificationEmail()
    notifyDone(`Email sent to ${email}.`)
  }
  const { pending, error, confirm } = useConfirming(send, () => undefined)
  return (
    <Alert mb="md" title="Verify your email address to generate keys" role="status">
      Open the link that was emailed to {email}. It works for 24 hours.
      {error && <ErrorAlert error={error} />}
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={confirm} loading={pending}>
          Send the email again
        </Button>
      </Group>
    </Alert>
  )
}
