import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api/client.ts'
import { verifyEmail } from '../api/mail.ts'
import { AuthLayout } from '../components/AuthLayout.tsx'
import { paths } from '../paths.ts'
import { Form } from '../ui/Form.tsx'
import { useLinkToken } from '../use-link-token.ts'

/** Where the link of the email leads. It asks first: programs that open the links of emails confirm nothing. */
export function VerifyEmailPage() {
  const { token, forgetToken } = useLinkToken()
  const queryClient = useQueryClient()
  const [verified, setVerified] = useState<string | null>()
  const confirm = async () => {
    try {
      setVerified((await verifyEmail(token)).email)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
      setVerified(null)
    }
    await forgetToken() // a reload does not offer a link again that was used
    await queryClient.invalidateQueries({ queryKey: ['viewer'] })
  }
  if (verified) return <Done email={verified} />
  if (verified === null || token === '') return <DeadLink />
  return (
    <AuthLayout title="Confirm your email address">
      <Form onSubmit={confirm} submit="Confirm" fullWidth>
        <Text>
          Confirm only if you signed up here with this address. If you did not, close this page: without a confirmed
          address, nobody can generate API keys in your name.
        </Text>
      </Form>
    </AuthLayout>
  )
}

const Done = ({ email }: { email: string }) => (
  <AuthLayout title="Your email address is confirmed" below={<ToPortal />}>
    <Text role="status">{email} is confirmed. You can now generate API keys.</Text>
  </AuthLayout>
)

const DeadLink = () => (
  <AuthLayout title="This link has expired" below={<ToPortal />}>
    <Text role="alert">
      It is incomplete, was already used, was replaced by a newer one, or is more than 24 hours old. Request a new one
      on your Profile page.
    </Text>
  </AuthLayout>
)

const ToPortal = () => (
  <Anchor component={Link} to={paths.home()} inherit underline="always">
    Go to the home page
  </Anchor>
)
