import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { invitationQuery, signedInAsQuery } from '../api/session.ts'
import { AuthLayout } from '../components/AuthLayout.tsx'
import { paths } from '../paths.ts'
import { useLinkToken } from '../use-link-token.ts'
import { AcceptInvitation } from './invitation/AcceptInvitation.tsx'

/** Where an invitation's link leads: who invites, as what, and the way in. */
export function InvitationPage() {
  const { token } = useLinkToken()
  return token ? <Opened token={token} /> : <DeadLink />
}

function Opened({ token }: { token: string }) {
  const { data: invitation } = useSuspenseQuery(invitationQuery(token))
  const { data: signedInAs } = useQuery({ ...signedInAsQuery, enabled: invitation?.hasAccount === true })
  if (!invitation) return <DeadLink />
  const { organization, email, role, hasAccount } = invitation
  if (hasAccount && signedInAs === undefined)
    return <AuthLayout title={`Join ${organization.name}`}>Loading …</AuthLayout>
  return (
    <AuthLayout title={`Join ${organization.name}`}>
      <Stack>
        <Text>
          {email} has been invited as {role === 'ADMIN' ? 'an Admin' : 'a Member'}.
        </Text>
        <AcceptInvitation token={token} invitation={invitation} isSignedIn={signedInAs === email} />
      </Stack>
    </AuthLayout>
  )
}

const DeadLink = () => (
  <AuthLayout
    title="This invitation has expired"
    below={
      <>
        Already joined?{' '}
        <Anchor component={Link} to={paths.signIn()} inherit underline="always">
          Sign in
        </Anchor>
      </>
    }
  >
    <Text>
      The link is incomplete, was already used, withdrawn or replaced by a newer one, was created by someone who can no
      longer invite, or is more than 72 hours old. Ask for a new invitation.
    </Text>
  </AuthLayout>
)
