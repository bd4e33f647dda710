import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { silentDeviceQuery } from '../../api/overview.ts'
import { CurlField } from '../devices/CurlField.tsx'

/** How a device says that it is alive, while the page waits for it. */
export function FirstCheckIn({ slug }: { slug: string }) {
  const { data: device } = useQuery(silentDeviceQuery(slug))
  if (!device) return null
  return (
    <Stack gap="xs">
      <Text size="sm">
        The device, or a script on its behalf, makes this call at least every five minutes: <b>{device.name}</b> is
        online as soon as the first one has arrived.
      </Text>
      <CurlField label="Check-in call" mutation={`mutation { checkInDevice(id: "${device.id}") { lastSeenAt } }`} />
    </Stack>
  )
}
