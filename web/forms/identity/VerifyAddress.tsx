import { Text } from '@mantine/core'
import { ApiError } from '../../api/client.ts'
import { verifyEmail } from '../../api/mail.ts'
import { Form } from '../../ui/Form.tsx'

interface VerifyAddressProps {
  token: string
  /** With the address; null: the link has expired. */
  onDone: (email: string | null) => Promise<void>
}

/** Asks first: programs that open the links of emails verify nothing. */
export function VerifyAddress({ token, onDone }: VerifyAddressProps) {
  return (
    <Form onSubmit={async () => onDone(await verify(token))} submit="Verify" fullWidth>
      <Text>
        Verify it only if you signed up here with this address. If you did not, close this page: without a verified
        address, nobody can generate API keys in your name.
      </Text>
    </Form>
  )
}

async function verify(token: string): Promise<string | null> {
  try {
    return (await verifyEmail(token)).email
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
