import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { auth } from '../api/client.ts'
import { isSignUpOpen } from '../api/session.ts'
import { AuthLayout } from '../components/AuthLayout.tsx'
import { paths, safeNext } from '../paths.ts'
import { Form } from '../ui/Form.tsx'
import { NewPasswordField, TextField } from '../ui/fields.tsx'

export function SignUpPage() {
  const { next } = useSearch({ from: '/sign-up' })
  const below = (
    <>
      Have an account?{' '}
      <Anchor component={Link} to={paths.signIn(next)} inherit underline="always">
        Sign in
      </Anchor>
    </>
  )
  return (
    <AuthLayout title="Sign up" below={below}>
      {isSignUpOpen() ? <SignUp next={next} /> : <Text>Sign-up is disabled. Ask an Admin for an invitation.</Text>}
    </AuthLayout>
  )
}

function SignUp({ next }: { next: string | undefined }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const signUp = async (values: FormData) => {
    await auth('sign-up', Object.fromEntries(values))
    queryClient.clear()
    await navigate({ href: safeNext(next), replace: true })
  }
  return (
    <Form onSubmit={signUp} submit="Sign up" fullWidth>
      <TextField name="name" label="Name" autoComplete="name" maxLength={80} required autoFocus />
      <TextField name="email" label="Email" type="email" autoComplete="username" required />
      <NewPasswordField name="password" label="Password" />
    </Form>
  )
}
