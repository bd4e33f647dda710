import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { AuthLayout } from '../components/AuthLayout.tsx'
import { paths } from '../paths.ts'

/** Where links of invitations and resets led when their token was a part of the path. */
export const OldLinkPage = () => (
  <AuthLayout
    title="This link has expired"
    below={
      <Anchor component={Link} to={paths.signIn()} inherit underline="always">
        Sign in
      </Anchor>
    }
  >
    <Text role="alert">This link was created by an older version of the portal. Ask for a new one.</Text>
  </AuthLayout>
)
