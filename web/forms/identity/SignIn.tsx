import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { auth } from '../../api/client.ts'
import { MAX_NAME } from '../../limits.ts'
import { safeNext } from '../../paths.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { NewPasswordField, PasswordField, TextField } from '../../ui/fields.tsx'

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

/** After signing in: forgets what was loaded before, and goes to an address of ours, or home. */
function useEnter(): (next?: string) => Promise<void> {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return (next) => {
    queryClient.clear()
    return navigate({ href: safeNext(next), replace: true })
  }
}
