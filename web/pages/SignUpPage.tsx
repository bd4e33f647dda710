import { Anchor, Text } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { isSignUpOpen } from '../api/session.ts'
import { SignUp } from '../forms/identity/SignIn.tsx'
import { AuthLayout } from '../layouts/AuthLayout.tsx'
import { paths } from '../paths.ts'

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
