import { Alert, Button, Group } from '@mantine/core'
import { sendVerificationEmail } from '../api/mail.ts'
import { useViewer } from '../api/viewer.ts'
import { notifyDone } from '../ui/notify.ts'
import { Trouble } from '../ui/Trouble.tsx'
import { useConfirming } from '../ui/use-confirming.ts'

/** For whoever has not confirmed their address yet: why it matters, and the email once more (C14). */
export default function VerifyEmail() {
  const viewer = useViewer()
  const email = viewer.user?.email ?? ''
  const send = async () => {
    await sendVerificationEmail()
    notifyDone(`The email is on its way to ${email}.`)
  }
  const { pending, error, confirm } = useConfirming(send, () => undefined)
  return (
    <Alert mb="md" title="Confirm your email address to generate keys" role="status">
      Open the link in the email to {email}: it shows that the address is yours. The link works for 24 hours.
      {error && <Trouble error={error} />}
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={confirm} loading={pending}>
          Send the email again
        </Button>
      </Group>
    </Alert>
  )
}
