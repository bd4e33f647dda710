import { Anchor, Text } from '@mantine/core'
import { Link, useLocation, useSearch } from '@tanstack/react-router'
import { isMailOn } from '../api/mail.ts'
import { isSignUpOpen } from '../api/session.ts'
import { SignIn } from '../forms/identity/SignIn.tsx'
import { AuthLayout } from '../layouts/AuthLayout.tsx'
import { paths } from '../paths.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Somebody was signed in until now. */
    sessionEnded?: true
  }
}

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' })
  const hasEnded = useLocation({ select: ({ state }) => state.sessionEnded })
  return (
    <AuthLayout title="Sign in" below={<Otherwise next={next} />}>
      {hasEnded && (
        <Text role="status" mb="md">
          Your session has expired. Sign in to continue where you left off.
        </Text>
      )}
      <SignIn next={next} />
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
