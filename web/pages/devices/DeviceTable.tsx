import { Badge, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import type { DeviceColumn, DeviceSearch, ListedDevice } from '../../api/devices.ts'
import { paths } from '../../paths.ts'
import { SortHead } from '../../ui/SortHead.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { DeviceMenu } from './DeviceActions.tsx'
import styles from './DeviceTable.module.css'
import { DeviceStatus, DeviceTags } from './DeviceTags.tsx'
import { COLUMNS, columnsOf } from './device-columns.ts'
import { SELECT_PAGE, type Selection } from './use-selection.ts'

interface DeviceTableProps {
  devices: readonly ListedDevice[]
  slug: string
  isAdmin: boolean
  wanted: DeviceSearch
  selection: Selection
  isCompact: boolean
}

/**
 * On a phone only what tells how a device is; the rest is on its own page. Typing in a filter draws no row again. The
 * cells are plain elements: with components, the scripts of the page took a quarter longer.
 */
export const DeviceTable = memo(function DeviceTable(props: DeviceTableProps) {
  const { devices, slug, isAdmin, wanted, selection, isCompact } = props
  const { selected } = selection
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  return (
    <Table isCompact={isCompact}>
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
          <SortHead by="name" sort={sortOf(wanted)}>
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
            {!isPhone && <MoreCells device={device} slug={slug} isAdmin={isAdmin} columns={columnsOf(wanted)} />}
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
        {!device.enabled && <Badge miw="max-content">Disabled</Badge>}
      </div>
    </th>
  )
}

const sortOf = ({ sort = 'name' }: DeviceSearch) => sort

function MoreHeads({ isAdmin, wanted }: { isAdmin: boolean; wanted: DeviceSearch }) {
  return (
    <>
      {columnsOf(wanted).map((column) => {
        const { name, sort } = COLUMNS[column]
        return sort ? (
          <SortHead key={column} by={sort} sort={sortOf(wanted)} isTime>
            {name}
          </SortHead>
        ) : (
          <th key={column} scope="col">
            {name}
          </th>
        )
      })}
      {isAdmin && (
        <th scope="col">
          <VisuallyHidden>Actions</VisuallyHidden>
        </th>
      )}
    </>
  )
}

const CELLS: Record<DeviceColumn, (device: ListedDevice, slug: string) => ReactNode> = {
  tags: ({ tags }, slug) => <DeviceTags slug={slug} tags={tags} shown={3} />,
  location: ({ location }) => location?.name,
  firmware: ({ firmwareVersion }) => firmwareVersion,
  lastSeen: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
  updated: ({ updatedAt }) => <Time at={updatedAt} />,
  created: ({ createdAt }) => <Time at={createdAt} />,
}

interface MoreCellsProps {
  device: ListedDevice
  slug: string
  isAdmin: boolean
  columns: readonly DeviceColumn[]
}

function MoreCells({ device, slug, isAdmin, columns }: MoreCellsProps) {
  return (
    <>
      {columns.map((column) => (
        <td key={column}>{CELLS[column](device, slug)}</td>
      ))}
      {isAdmin && (
        <td className="end">
          <DeviceMenu device={device} slug={slug} />
        </td>
      )}
    </>
  )
}

interface SelectBoxProps {
  id?: string
  label: string
  /** How many of those that it stands for are selected: none, all, or some. */
  count: number
  of: number
  onToggle: (isRange: boolean) => void
}

/** The browser's own checkbox: a table of fifty needs no more. With Shift, from the one before up to here. */
const SelectBox = ({ id, label, count, of, onToggle }: SelectBoxProps) => (
  <input
    id={id}
    type="checkbox"
    className="choice"
    aria-label={label}
    checked={count === of}
    ref={(box) => {
      if (box) box.indeterminate = count > 0 && count < of
    }}
    onChange={(event) => onToggle(event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
  />
)
