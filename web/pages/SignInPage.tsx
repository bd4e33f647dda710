import { Anchor } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { auth } from '../api/client.ts'
import { isMailOn } from '../api/mail-on.ts'
import { isSignUpOpen } from '../api/session.ts'
import { AuthLayout } from '../components/AuthLayout.tsx'
import { paths, safeNext } from '../paths.ts'
import { Form } from '../ui/Form.tsx'
import { PasswordField, TextField } from '../ui/fields.tsx'

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const signIn = async (values: FormData) => {
    await auth('sign-in', { email: values.get('email'), password: values.get('password') })
    queryClient.clear()
    await navigate({ href: safeNext(next), replace: true })
  }
  return (
    <AuthLayout title="Sign in" below={<Otherwise next={next} />}>
      <Form onSubmit={signIn} submit="Sign in" fullWidth>
        <TextField name="email" label="Email" type="email" autoComplete="username" required autoFocus />
        <PasswordField name="password" label="Password" autoComplete="current-password" required />
      </Form>
    </AuthLayout>
  )
}

function Otherwise({ next }: { next: string | undefined }) {
  return (
    <>
      No account yet?{' '}
      {isSignUpOpen() ? (
        <Anchor component={Link} to={paths.signUp(next)} inherit underline="always">
          Sign up
        </Anchor>
      ) : (
        'Ask an Admin for an invitation.'
      )}
      <br />
      {isMailOn() ? (
        <Anchor component={Link} to={paths.forgotPassword()} inherit underline="always">
          Forgot your password?
        </Anchor>
      ) : (
        'Forgot your password? Ask the portal administrator for a reset link.'
      )}
    </>
  )
}
