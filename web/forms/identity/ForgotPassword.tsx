import { Text } from '@mantine/core'
import { useState } from 'react'
import { forgotPassword } from '../../api/mail.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'

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
