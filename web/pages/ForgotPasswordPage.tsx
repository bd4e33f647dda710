import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { isMailOn } from '../api/mail.ts'
import { ForgotPassword } from '../forms/identity/ResetPassword.tsx'
import { AuthLayout } from '../layouts/AuthLayout.tsx'
import { paths } from '../paths.ts'

/** How to get a reset link: by email, or from the administrator. */
export function ForgotPasswordPage() {
  return (
    <AuthLayout
      title="Forgot your password?"
      below={
        <Anchor component={Link} to={paths.signIn()} inherit underline="always">
          Back to sign in
        </Anchor>
      }
    >
      {isMailOn() ? (
        <ForgotPassword />
      ) : (
        <Text>This portal does not send email. Ask its administrator for a password reset link.</Text>
      )}
    </AuthLayout>
  )
}
