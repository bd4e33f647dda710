import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, auth } from '../api/client.ts'
import { isMailOn } from '../api/mail-on.ts'
import { Entrance } from '../components/Entrance.tsx'
import { paths } from '../paths.ts'
import { Form } from '../ui/Form.tsx'
import { NewPasswordField } from '../ui/fields.tsx'
import { useLinkToken } from '../use-link-token.ts'
import { RemainingKeys } from './reset-password/RemainingKeys.tsx'

/** Where a reset link leads: a new password, and in. */
export function ResetPasswordPage() {
  const { token, forgetToken } = useLinkToken()
  const [isDead, setDead] = useState(false)
  const [keyCount, setKeyCount] = useState(0)
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
        setKeyCount(apiKeyCount)
        return await forgetToken() // a reload does not offer a link again that was used
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return setDead(true)
      throw error
    }
    await navigate({ href: paths.home(), replace: true })
  }
  if (keyCount > 0) return <RemainingKeys count={keyCount} />
  if (isDead || token === '') return <DeadLink />
  return (
    <Entrance title="Choose a new password">
      <Form onSubmit={reset} submit="Set password" fullWidth>
        <NewPasswordField name="password" label="New password" autoFocus />
        <Text size="sm" c="dimmed">
          You are signed in here, and signed out everywhere else.
        </Text>
      </Form>
    </Entrance>
  )
}

const DeadLink = () => (
  <Entrance
    title="This link has expired"
    below={
      <Anchor component={Link} to={paths.signIn()} inherit underline="always">
        Sign in
      </Anchor>
    }
  >
    <Text role="alert">
      It is not whole, it was used already, a newer one was made, or its 30 minutes are over.{' '}
      {isMailOn() ? (
        <Anchor component={Link} to={paths.forgotPassword()} inherit underline="always">
          Ask for a new one
        </Anchor>
      ) : (
        'Ask whoever runs this portal for a new one'
      )}
      .
    </Text>
  </Entrance>
)
