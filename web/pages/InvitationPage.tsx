import { Stack, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { invitationQuery, signedInAsQuery } from '../api/session.ts'
import { AcceptInvitation } from '../forms/identity/AcceptInvitation.tsx'
import { AuthLayout, ExpiredLink, ToSignIn } from '../layouts/AuthLayout.tsx'
import { useLinkToken } from './use-link-token.ts'

/** Where an invitation's link leads: who invites, as what, and the way in. */
export function InvitationPage() {
  const { token } = useLinkToken()
  return token ? <Opened token={token} /> : <Expired />
}

function Opened({ token }: { token: string }) {
  const { data: invitation } = useSuspenseQuery(invitationQuery(token))
  const { data: signedInAs } = useQuery({ ...signedInAsQuery, enabled: invitation?.hasAccount === true })
  if (!invitation) return <Expired />
  const { organization, email, role, hasAccount } = invitation
  if (hasAccount && signedInAs === undefined)
    return <AuthLayout title={`Join ${organization.name}`}>Loading…</AuthLayout>
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

const Expired = () => (
  <ExpiredLink
    title="This invitation has expired"
    below={
      <>
        Already joined? <ToSignIn />
      </>
    }
  >
    The link is incomplete, was already used, withdrawn or replaced by a newer one, was created by someone who can no
    longer invite, or is more than 72 hours old. Ask for a new invitation.
  </ExpiredLink>
)
