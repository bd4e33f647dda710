import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, auth } from '../api/client.ts'
import { isMailOn } from '../api/mail-on.ts'
import { AuthLayout } from '../components/AuthLayout.tsx'
import { paths } from '../paths.ts'
import { Form } from '../ui/Form.tsx'
import { NewPasswordField } from '../ui/fields.tsx'
import { useLinkToken } from '../use-link-token.ts'
import { RemainingKeys } from './reset-password/RemainingKeys.tsx'

/** Where a reset link leads: a new password, and in. */
export function ResetPasswordPage() {
  const { token } = useLinkToken()
  const { remainingKeys = 0 } = useLocation().state // which a reload keeps
  const [isDead, setDead] = useState(false)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const reset = async (values: FormData) => {
    try {
      const { apiKeyCount } = await auth<{ apiKeyCount: number }>('reset-password', {
        token,
        password: values.get('password'),
      })
      queryClient.clear()
      if (apiKeyCount > 0) {
        // In place of the token: a reload offers the keys again, and not a link that was used.
        return await navigate({ to: '.', hash: '', replace: true, state: { remainingKeys: apiKeyCount } })
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return setDead(true)
      throw error
    }
    await navigate({ href: paths.home(), replace: true })
  }
  if (remainingKeys > 0) return <RemainingKeys count={remainingKeys} />
  if (isDead || token === '') return <DeadLink />
  return (
    <AuthLayout title="Choose a new password">
      <Form onSubmit={reset} submit="Set password" fullWidth>
        <NewPasswordField name="password" label="New password" autoFocus />
        <Text size="sm" c="dimmed">
          This signs you in here, and signs you out everywhere else.
        </Text>
      </Form>
    </AuthLayout>
  )
}

const DeadLink = () => (
  <AuthLayout
    title="This link has expired"
    below={
      <Anchor component={Link} to={paths.signIn()} inherit underline="always">
        Sign in
      </Anchor>
    }
  >
    <Text role="alert">
      It is incomplete, was already used, was replaced by a newer one, or is more than 30 minutes old.{' '}
      {isMailOn() ? (
        <Anchor component={Link} to={paths.forgotPassword()} inherit underline="always">
          Request a new link
        </Anchor>
      ) : (
        'Ask the portal administrator for a new one'
      )}
      .
    </Text>
  </AuthLayout>
)
