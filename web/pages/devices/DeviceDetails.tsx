import { Text } from '@mantine/core'
import type { Device } from '../../api/devices.ts'
import { DescriptionItem, DescriptionList } from '../../components/DescriptionList.tsx'
import { Time } from '../../ui/Time.tsx'
import { DeviceStatus } from './DeviceStatus.tsx'
import { DeviceTags } from './DeviceTags.tsx'

/** The facts of a device, what is unknown included, so that it is seen to be unknown. */
export function DeviceDetails({ slug, device }: { slug: string; device: Device }) {
  const { location } = device
  return (
    <DescriptionList>
      <DescriptionItem name="Status">
        <DeviceStatus status={device.status} />
      </DescriptionItem>
      <DescriptionItem name="Last seen">
        <Time at={device.lastSeenAt} />
      </DescriptionItem>
      <DescriptionItem name="Enabled">{device.enabled ? 'Yes' : 'No'}</DescriptionItem>
      <DescriptionItem name="Firmware">{device.firmwareVersion}</DescriptionItem>
      <DescriptionItem name="Location">{location?.name}</DescriptionItem>
      <DescriptionItem name="Address">{location?.address}</DescriptionItem>
      <DescriptionItem name="Coordinates">{coordinates(location)}</DescriptionItem>
      <DescriptionItem name="Time zone">{location?.timeZone}</DescriptionItem>
      <DescriptionItem name="Added">
        <Time at={device.createdAt} />
      </DescriptionItem>
      <DescriptionItem name="Updated">
        <Time at={device.updatedAt} />
      </DescriptionItem>
      <DescriptionItem name="ID" wide>
        <span className="mono">{device.id}</span>
      </DescriptionItem>
      <DescriptionItem name="Tags" wide>
        {device.tags.length > 0 && <DeviceTags slug={slug} tags={device.tags} />}
      </DescriptionItem>
      <DescriptionItem name="Description" wide>
        {device.description && <Text style={{ whiteSpace: 'pre-wrap' }}>{device.description}</Text>}
      </DescriptionItem>
    </DescriptionList>
  )
}

function coordinates(location: Device['location']): string | undefined {
  const { latitude = null, longitude = null } = location ?? {}
  if (latitude === null && longitude === null) return undefined
  return `${latitude ?? '—'}, ${longitude ?? '—'}`
}
