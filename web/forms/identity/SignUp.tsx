import { auth } from '../../api/client.ts'
import { MAX_NAME } from '../../limits.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { NewPasswordField } from '../../ui/password-fields.tsx'
import { useEnter } from './use-enter.ts'

/** Creates an account and signs in. */
export function SignUp({ next }: { next: string | undefined }) {
  const enter = useEnter()
  const signUp = async (values: FormData) => {
    await auth('sign-up', { ...Object.fromEntries(values), name: textOf(values, 'name') })
    await enter(next)
  }
  return (
    <Form onSubmit={signUp} submit="Sign up" fullWidth>
      <TextField name="name" label="Name" autoComplete="name" maxLength={MAX_NAME} required autoFocus />
      <TextField name="email" label="Email" type="email" autoComplete="username" required />
      <NewPasswordField name="password" label="Password" />
    </Form>
  )
}
