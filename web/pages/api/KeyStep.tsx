import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { showsApiKeys, type Viewer } from '../../api/viewer.ts'
import { keysOf, paths } from '../../paths.ts'

/** Where a key comes from, for those who may generate one and for those who have to ask. */
export function KeyStep({ viewer }: { viewer: Viewer }) {
  const { role, organization } = viewer
  if (showsApiKeys(viewer)) {
    return (
      <Text>
        <Anchor component={Link} to={keysOf(organization)} underline="always">
          Generate an API key
        </Anchor>
        . The access “Read only” is enough for these samples.
      </Text>
    )
  }
  if (role === 'ADMIN') {
    return (
      <Text>
        API keys are switched off. Switch them on in{' '}
        <Anchor component={Link} to={paths.settings(organization.slug)} underline="always">
          Settings
        </Anchor>
        , then generate one.
      </Text>
    )
  }
  return (
    <Text>Ask an Admin of this organization for an API key. The access “Read only” is enough for these samples.</Text>
  )
}
