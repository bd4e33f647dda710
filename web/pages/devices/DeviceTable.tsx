import { Badge, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { DeviceSearch, ListedDevice } from '../../api/devices.ts'
import { paths } from '../../paths.ts'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { DeviceMenu } from './DeviceMenu.tsx'
import { DeviceStatus } from './DeviceStatus.tsx'
import styles from './DeviceTable.module.css'
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

/**
 * On a phone only what tells how a device is; the rest is on its own page. Typing in a filter draws no row again. The
 * cells are plain elements: with components, the scripts of the page took a quarter longer.
 */
export const DeviceTable = memo(function DeviceTable(props: DeviceTableProps) {
  const { devices, slug, isAdmin, wanted, selection } = props
  const { selected } = selection
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  return (
    <Table>
      <thead>
        <tr>
          {isAdmin && (
            <td className={styles['select']}>
              <SelectBox
                id={SELECT_PAGE}
                label="Select all devices on this page"
                count={devices.filter(({ id }) => selected.has(id)).length}
                of={devices.length}
                onToggle={() => selection.togglePage(devices)}
              />
            </td>
          )}
          <SortHead wanted={wanted} by="name">
            Name
          </SortHead>
          <th scope="col">Status</th>
          {!isPhone && <MoreHeads isAdmin={isAdmin} wanted={wanted} />}
        </tr>
      </thead>
      <tbody>
        {devices.map((device, index) => (
          <tr key={device.id}>
            {isAdmin && (
              <td>
                <SelectBox
                  label={`Select ${device.name}`}
                  count={selected.has(device.id) ? 1 : 0}
                  of={1}
                  onToggle={(isRange) => selection.toggle(devices, index, isRange)}
                />
              </td>
            )}
            <NameCell device={device} slug={slug} />
            <td>
              <DeviceStatus status={device.status} />
              {isPhone && device.lastSeenAt && (
                <div className={styles['seen']}>
                  <Time at={device.lastSeenAt} />
                </div>
              )}
            </td>
            {!isPhone && <MoreCells device={device} slug={slug} isAdmin={isAdmin} />}
          </tr>
        ))}
      </tbody>
    </Table>
  )
})

function NameCell({ device, slug }: { device: ListedDevice; slug: string }) {
  return (
    <th scope="row" className={styles['name']}>
      <div>
        <Link to={paths.device(slug, device.id)} className={`mantine-focus-auto ${styles['link']}`}>
          {device.name}
        </Link>
        {!device.enabled && (
          <Badge variant="default" tt="none" miw="max-content">
            Disabled
          </Badge>
        )}
      </div>
    </th>
  )
}

function MoreHeads({ isAdmin, wanted }: { isAdmin: boolean; wanted: DeviceSearch }) {
  return (
    <>
      <th scope="col">Tags</th>
      <th scope="col">Location</th>
      <SortHead wanted={wanted} by="lastSeen">
        Last seen
      </SortHead>
      {isAdmin && (
        <th scope="col">
          <VisuallyHidden>Actions</VisuallyHidden>
        </th>
      )}
    </>
  )
}

function MoreCells({ device, slug, isAdmin }: { device: ListedDevice; slug: string; isAdmin: boolean }) {
  return (
    <>
      <td>
        <DeviceTags slug={slug} tags={device.tags} shown={3} />
      </td>
      <td>{device.location?.name}</td>
      <td>
        <Time at={device.lastSeenAt} />
      </td>
      {isAdmin && (
        <td className="end">
          <DeviceMenu device={device} slug={slug} />
        </td>
      )}
    </>
  )
}
