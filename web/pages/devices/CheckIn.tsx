import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Device } from '../../api/devices.ts'
import { showsApiKeys, type Viewer } from '../../api/viewer.ts'
import { checkInCall } from '../../forms/api-keys/secret/forms-of-secret.ts'
import { keysOf } from '../../paths.ts'
import { CheckInKey } from './CheckInKey.tsx'
import { CurlField } from './CurlField.tsx'
import { thisAccount } from './this-account.ts'

/** How a device, or a script in its place, says that it is alive. */
export function CheckIn({ viewer, device }: { viewer: Viewer; device: Device }) {
  return (
    <Stack component="section" gap="xs" maw={760} aria-labelledby="check-in">
      <Title order={2} size="h4" id="check-in">
        Check in
      </Title>
      <Text>
        The device, or a script on its behalf, must make this call at least every five minutes to count as online. Set
        API_SECRET to{' '}
        {showsApiKeys(viewer) ? (
          <Anchor component={Link} to={keysOf(viewer.organization)} underline="always">
            an API key
          </Anchor>
        ) : (
          'an API key'
        )}{' '}
        of {thisAccount(viewer.organization)}. A key that can only check in this device is enough.
      </Text>
      <CurlField label="Check-in call" mutation={checkInCall(device.id)} />
      {showsApiKeys(viewer) && <CheckInKey viewer={viewer} device={device} />}
    </Stack>
  )
}
