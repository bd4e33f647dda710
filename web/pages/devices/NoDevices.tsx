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
    return (
      <Empty title="No device matches">
        A search finds names that begin with its text; of several tags, a device must have all.
      </Empty>
    )
  }
  if (wanted.after) return <Empty title="No more devices" />
  return (
    <>
      <Empty title="No devices yet" action={add}>
        Here you see each edge device: where it is, and when it last checked in.
        {!add && ' The Admins of this organization add them.'}
      </Empty>
      {add && (
        <Stack maw={640} mx="auto">
          <CurlField label="Or add one from a script" mutation={CREATE} />
          <Text size="sm" c="dimmed">
            API_SECRET holds an API key of this organization.
          </Text>
        </Stack>
      )}
    </>
  )
}

const CREATE = 'mutation { createDevice(input: { name: "press-7", tags: ["berlin"] }) { id } }'
