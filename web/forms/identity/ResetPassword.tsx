import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, auth } from '../../api/client.ts'
import { forgotPassword } from '../../api/mail.ts'
import { paths } from '../../paths.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { NewPasswordField, TextField } from '../../ui/fields.tsx'

/** Sets a new password and signs in. */
export function ResetPassword({ token, onExpired }: { token: string; onExpired: () => void }) {
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
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return onExpired()
      throw error
    }
    await navigate({ href: paths.home(), replace: true })
  }
  return (
    <Form onSubmit={reset} submit="Set password" fullWidth>
      <NewPasswordField name="password" label="New password" autoFocus />
      <Text size="sm" c="dimmed">
        This signs you in here, and signs you out everywhere else.
      </Text>
    </Form>
  )
}

/** Sends a reset link; it says the same whether there is such an account or not. */
export function ForgotPassword() {
  const [isSent, setSent] = useState(false)
  const send = async (values: FormData) => {
    await forgotPassword(textOf(values, 'email') ?? '')
    setSent(true)
  }
  if (isSent) {
    return (
      <Text role="status">
        If there is an account with this address, an email with a reset link is on its way. The link expires in 30
        minutes.
      </Text>
    )
  }
  return (
    <Form onSubmit={send} submit="Send reset link" fullWidth>
      <TextField name="email" label="Email" type="email" autoComplete="username" required autoFocus />
    </Form>
  )
}
