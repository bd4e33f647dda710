import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { invitationQuery, signedInAsQuery } from '../api/session.ts'
import { Entrance } from '../components/Entrance.tsx'
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
    return <Entrance title={`Join ${organization.name}`}>One moment …</Entrance>
  return (
    <Entrance title={`Join ${organization.name}`}>
      <Stack>
        <Text>
          {email} is invited as {role === 'ADMIN' ? 'an Admin' : 'a Member'}.
        </Text>
        <AcceptInvitation token={token} invitation={invitation} isSignedIn={signedInAs === email} />
      </Stack>
    </Entrance>
  )
}

const DeadLink = () => (
  <Entrance
    title="This invitation has expired"
    below={
      <>
        Joined already?{' '}
        <Anchor component={Link} to={paths.signIn()} inherit underline="always">
          Sign in
        </Anchor>
      </>
    }
  >
    <Text>
      The link is not whole, it was used, withdrawn or replaced by a newer one, whoever made it may not invite any more,
      or its 72 hours are over. Ask for a new one.
    </Text>
  </Entrance>
)
