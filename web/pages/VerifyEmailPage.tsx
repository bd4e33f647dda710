import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { VerifyAddress } from '../forms/identity/VerifyAddress.tsx'
import { AuthLayout, ExpiredLink } from '../layouts/AuthLayout.tsx'
import { paths } from '../paths.ts'
import { useLinkToken } from './use-link-token.ts'

/** Where the link of the email leads. */
export function VerifyEmailPage() {
  const { token, forgetToken } = useLinkToken()
  const queryClient = useQueryClient()
  const [verified, setVerified] = useState<string | null>()
  const done = async (email: string | null) => {
    setVerified(email)
    await forgetToken() // a reload does not offer a link again that was used
    await queryClient.invalidateQueries({ queryKey: ['viewer'] })
  }
  if (verified) return <Done email={verified} />
  if (verified === null || token === '') {
    return (
      <ExpiredLink below={<ToPortal />}>
        It is incomplete, was already used, was replaced by a newer one, or is more than 24 hours old. Request a new one
        on your Profile page.
      </ExpiredLink>
    )
  }
  return (
    <AuthLayout title="Verify your email address">
      <VerifyAddress token={token} onDone={done} />
    </AuthLayout>
  )
}

const Done = ({ email }: { email: string }) => (
  <AuthLayout title="Your email address is verified" below={<ToPortal />}>
    <Text role="status">{email} is verified. You can now generate API keys.</Text>
  </AuthLayout>
)

const ToPortal = () => (
  <Anchor component={Link} to={paths.home()} inherit underline="always">
    Go to the home page
  </Anchor>
)
