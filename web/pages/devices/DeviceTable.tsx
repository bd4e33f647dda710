import { Anchor, Badge, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { DeviceSearch, ListedDevice } from '../../api/devices.ts'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import { DeviceMenu } from './DeviceMenu.tsx'
import { DeviceStatus } from './DeviceStatus.tsx'
import { DeviceTags } from './DeviceTags.tsx'
import { SelectBox } from './SelectBox.tsx'
import { SortHead } from './SortHead.tsx'
import { SELECT_PAGE, type Selection } from './use-selection.ts'

interface DeviceTableProps {
  devices: readonly ListedDevice[]
  slug: string
  isAdmin: boolean
  wanted: DeviceSearch
  selection: Selection
}

/** On a phone only what tells how a device is; the rest is on its own page. Typing in a filter draws no row again. */
export const DeviceTable = memo(function DeviceTable(props: DeviceTableProps) {
  const { devices, slug, isAdmin, wanted, selection } = props
  const { selected } = selection
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  return (
    <div className="scroll-x">
      <Table>
        <Table.Thead>
          <Table.Tr>
            {isAdmin && (
              <Table.Td w={0}>
                <SelectBox
                  id={SELECT_PAGE}
                  label="Select all devices on this page"
                  count={devices.filter(({ id }) => selected.has(id)).length}
                  of={devices.length}
                  onToggle={() => selection.togglePage(devices)}
                />
              </Table.Td>
            )}
            <SortHead wanted={wanted} by="name">
              Name
            </SortHead>
            <Table.Th scope="col">Status</Table.Th>
            {!isPhone && <MoreHeads isAdmin={isAdmin} wanted={wanted} />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {devices.map((device, index) => (
            <Table.Tr key={device.id}>
              {isAdmin && (
                <Table.Td>
                  <SelectBox
                    label={`Select ${device.name}`}
                    count={selected.has(device.id) ? 1 : 0}
                    of={1}
                    onToggle={(isRange) => selection.toggle(devices, index, isRange)}
                  />
                </Table.Td>
              )}
              <NameCell device={device} slug={slug} />
              <Table.Td>
                <DeviceStatus status={device.status} />
                {isPhone && device.lastSeenAt && (
                  <Text size="sm" c="dimmed">
                    <Time at={device.lastSeenAt} />
                  </Text>
                )}
              </Table.Td>
              {!isPhone && <MoreCells device={device} slug={slug} isAdmin={isAdmin} />}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
})

function NameCell({ device, slug }: { device: ListedDevice; slug: string }) {
  return (
    <Table.Th scope="row" fw={400}>
      <Group gap="xs">
        <Anchor component={Link} to={paths.device(slug, device.id)} inherit fw={500}>
          {device.name}
        </Anchor>
        {!device.enabled && (
          <Badge variant="default" tt="none" miw="max-content">
            Disabled
          </Badge>
        )}
      </Group>
    </Table.Th>
  )
}

function MoreHeads({ isAdmin, wanted }: { isAdmin: boolean; wanted: DeviceSearch }) {
  return (
    <>
      <Table.Th scope="col">Tags</Table.Th>
      <Table.Th scope="col">Location</Table.Th>
      <SortHead wanted={wanted} by="lastSeen">
        Last seen
      </SortHead>
      {isAdmin && (
        <Table.Th scope="col">
          <VisuallyHidden>Actions</VisuallyHidden>
        </Table.Th>
      )}
    </>
  )
}

function MoreCells({ device, slug, isAdmin }: { device: ListedDevice; slug: string; isAdmin: boolean }) {
  return (
    <>
      <Table.Td>
        <DeviceTags slug={slug} tags={device.tags} shown={3} />
      </Table.Td>
      <Table.Td>{device.location?.name}</Table.Td>
      <Table.Td>
        <Time at={device.lastSeenAt} />
      </Table.Td>
      {isAdmin && (
        <Table.Td ta="right">
          <DeviceMenu device={device} slug={slug} />
        </Table.Td>
      )}
    </>
  )
}
