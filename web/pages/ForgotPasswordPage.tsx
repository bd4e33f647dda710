import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { forgotPassword } from '../api/mail.ts'
import { isMailOn } from '../api/mail-on.ts'
import { AuthLayout } from '../components/AuthLayout.tsx'
import { paths } from '../paths.ts'
import { Form, textOf } from '../ui/Form.tsx'
import { TextField } from '../ui/fields.tsx'

const TITLE = 'Forgot your password?'

/** Sends a link for a new password; it says the same whether there is such an account or not. */
export function ForgotPasswordPage() {
  return (
    <AuthLayout
      title={TITLE}
      below={
        <Anchor component={Link} to={paths.signIn()} inherit underline="always">
          Back to sign in
        </Anchor>
      }
    >
      {isMailOn() ? (
        <AskForLink />
      ) : (
        <Text>This portal does not send email. Ask its administrator for a password reset link.</Text>
      )}
    </AuthLayout>
  )
}

function AskForLink() {
  const [isSent, setSent] = useState(false)
  const ask = async (values: FormData) => {
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
    <Form onSubmit={ask} submit="Send reset link" fullWidth>
      <TextField name="email" label="Email" type="email" autoComplete="username" required autoFocus />
    </Form>
  )
}
