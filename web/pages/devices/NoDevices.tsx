import { Stack, Text } from '@mantine/core'
import { type DeviceSearch, isFiltered } from '../../api/devices.ts'
import type { Viewer } from '../../api/viewer.ts'
import { Empty } from '../../ui/Empty.tsx'
import { CurlField } from './CurlField.tsx'
import { thisAccount } from './this-account.ts'

interface NoDevicesProps {
  wanted: DeviceSearch
  viewer: Viewer
}

/** An empty list says why it is empty, and what to do about it. */
export function NoDevices({ wanted, viewer: { role, organization } }: NoDevicesProps) {
  if (isFiltered(wanted)) {
    return <Empty title="No device matches">Search finds a part of a name. A device must have all selected tags.</Empty>
  }
  if (wanted.after) return <Empty title="No more devices" />
  const isAdmin = role === 'ADMIN'
  return (
    <>
      <Empty title="No devices yet">
        Your edge devices appear here, with their location and last check-in.{' '}
        {isAdmin
          ? 'Add the first one, or import a file with all of them.'
          : 'Admins of this organization can add them.'}
      </Empty>
      {isAdmin && (
        <Stack maw={640} mx="auto">
          <CurlField label="Or add one from a script" mutation={CREATE} />
          <Text size="sm" c="dimmed">
            Set API_SECRET to an API key of {thisAccount(organization)}.
          </Text>
        </Stack>
      )}
    </>
  )
}

const CREATE = 'mutation { createDevice(input: { name: "press-7", tags: ["berlin"] }) { id } }'
