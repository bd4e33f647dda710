import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type DeviceSearch, isFiltered } from '../../api/devices.ts'
import { Empty } from '../../ui/Empty.tsx'
import { CurlField } from './CurlField.tsx'

interface NoDevicesProps {
  wanted: DeviceSearch
  /** The way to the first one; none for who may not. */
  add: ReactNode
}

/** An empty list says why it is empty, and what to do about it. */
export function NoDevices({ wanted, add }: NoDevicesProps) {
  if (isFiltered(wanted)) {
    return <Empty title="No device matches">Search finds a part of a name. A device must have all selected tags.</Empty>
  }
  if (wanted.after) return <Empty title="No more devices" />
  return (
    <>
      <Empty title="No devices yet" action={add}>
        Your edge devices appear here, with their location and last check-in.
        {!add && ' Admins of this organization can add them.'}
      </Empty>
      {add && (
        <Stack maw={640} mx="auto">
          <CurlField label="Or add one from a script" mutation={CREATE} />
          <Text size="sm" c="dimmed">
            Set API_SECRET to an API key of this organization.
          </Text>
        </Stack>
      )}
    </>
  )
}

const CREATE = 'mutation { createDevice(input: { name: "press-7", tags: ["berlin"] }) { id } }'
