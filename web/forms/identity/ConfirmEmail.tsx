import { Text } from '@mantine/core'
import { ApiError } from '../../api/client.ts'
import { verifyEmail } from '../../api/mail.ts'
import { Form } from '../../ui/Form.tsx'

interface ConfirmEmailProps {
  token: string
  /** With the address; null: the link has expired. */
  onDone: (email: string | null) => Promise<void>
}

/** Asks first: programs that open the links of emails confirm nothing. */
export function ConfirmEmail({ token, onDone }: ConfirmEmailProps) {
  return (
    <Form onSubmit={async () => onDone(await confirm(token))} submit="Confirm" fullWidth>
      <Text>
        Confirm only if you signed up here with this address. If you did not, close this page: without a confirmed
        address, nobody can generate API keys in your name.
      </Text>
    </Form>
  )
}

async function confirm(token: string): Promise<string | null> {
  try {
    return (await verifyEmail(token)).email
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
