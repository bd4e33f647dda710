import { Anchor } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { isMailOn } from '../api/mail-on.ts'
import { ResetPassword } from '../forms/identity/ResetPassword.tsx'
import { AuthLayout } from '../layouts/AuthLayout.tsx'
import { ExpiredLink } from '../layouts/ExpiredLink.tsx'
import { paths } from '../paths.ts'
import { RemainingKeys } from './reset-password/RemainingKeys.tsx'
import { useLinkToken } from './use-link-token.ts'

/** Where a reset link leads: a new password, and in. */
export function ResetPasswordPage() {
  const { token } = useLinkToken()
  const { remainingKeys = 0 } = useLocation().state // which a reload keeps
  const [isExpired, setExpired] = useState(false)
  if (remainingKeys > 0) return <RemainingKeys count={remainingKeys} />
  if (isExpired || token === '') return <Expired />
  return (
    <AuthLayout title="Choose a new password">
      <ResetPassword token={token} onExpired={() => setExpired(true)} />
    </AuthLayout>
  )
}

const Expired = () => (
  <ExpiredLink>
    It is incomplete, was already used, was replaced by a newer one, or is more than 30 minutes old.{' '}
    {isMailOn() ? (
      <Anchor component={Link} to={paths.forgotPassword()} inherit underline="always">
        Request a new link
      </Anchor>
    ) : (
      'Ask the portal administrator for a new one'
    )}
    .
  </ExpiredLink>
)
