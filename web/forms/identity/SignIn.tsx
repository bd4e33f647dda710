import { auth } from '../../api/client.ts'
import { Form } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { PasswordField } from '../../ui/password-fields.tsx'
import { useEnter } from './use-enter.ts'

/** By email and password; then on to where somebody wanted to go. */
export function SignIn({ next }: { next: string | undefined }) {
  const enter = useEnter()
  const signIn = async (values: FormData) => {
    await auth('sign-in', { email: values.get('email'), password: values.get('password') })
    await enter(next)
  }
  return (
    <Form onSubmit={signIn} submit="Sign in" fullWidth>
      <TextField name="email" label="Email" type="email" autoComplete="username" required autoFocus />
      <PasswordField name="password" label="Password" autoComplete="current-password" required />
    </Form>
  )
}
