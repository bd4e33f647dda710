import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ApiError, auth } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { Form } from '../../ui/Form.tsx'
import { NewPasswordField } from '../../ui/password-fields.tsx'

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
