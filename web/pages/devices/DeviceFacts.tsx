import { Text } from '@mantine/core'
import type { Device } from '../../api/devices.ts'
import { Fact, Facts } from '../../components/Facts.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './DeviceFacts.module.css'
import { DeviceStatus } from './DeviceStatus.tsx'
import { DeviceTags } from './DeviceTags.tsx'

/** The facts of a device, what is unknown included, so that it is seen to be unknown. */
export function DeviceFacts({ slug, device }: { slug: string; device: Device }) {
  const { location } = device
  return (
    <Facts>
      <Fact name="Status">
        <DeviceStatus status={device.status} />
      </Fact>
      <Fact name="Last seen">
        <Time at={device.lastSeenAt} />
      </Fact>
      <Fact name="Enabled">{device.enabled ? 'Yes' : 'No'}</Fact>
      <Fact name="Firmware">{device.firmwareVersion}</Fact>
      <Fact name="Location">{location?.name}</Fact>
      <Fact name="Address">{location?.address}</Fact>
      <Fact name="Coordinates">{coordinates(location)}</Fact>
      <Fact name="Time zone">{location?.timeZone}</Fact>
      <Fact name="Added">
        <Time at={device.createdAt} />
      </Fact>
      <Fact name="Changed">
        <Time at={device.updatedAt} />
      </Fact>
      <Fact name="ID" wide>
        <span className="mono">{device.id}</span>
      </Fact>
      <Fact name="Tags" wide>
        {device.tags.length > 0 && <DeviceTags slug={slug} tags={device.tags} />}
      </Fact>
      <Fact name="Description" wide>
        {device.description && <Text className={styles['lines']}>{device.description}</Text>}
      </Fact>
    </Facts>
  )
}

function coordinates(location: Device['location']): string | undefined {
  const { latitude = null, longitude = null } = location ?? {}
  if (latitude === null && longitude === null) return undefined
  return `${latitude ?? '—'}, ${longitude ?? '—'}`
}
