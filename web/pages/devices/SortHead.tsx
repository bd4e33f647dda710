import { UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { DeviceOrderField, DeviceSearch } from '../../api/devices.ts'
import { deviceSearch } from './device-search.ts'
import styles from './SortHead.module.css'

interface SortHeadProps {
  wanted: DeviceSearch
  by: DeviceOrderField
  children: string
}

/** The head of a column that can be sorted by; a second click turns the order around. Of times the latest come first. */
export function SortHead({ wanted, by, children }: SortHeadProps) {
  const navigate = useNavigate()
  const sort = wanted.sort ?? 'name'
  const isUp = sort === by
  const isDown = sort === `-${by}`
  const next = isUp || (by !== 'name' && !isDown) ? `-${by}` : by
  return (
    <th scope="col" aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}>
      <UnstyledButton
        className={styles['button']}
        fz="inherit"
        fw="inherit"
        onClick={() => navigate({ to: '.', search: deviceSearch({ ...wanted, after: undefined, sort: next }) })}
      >
        {children}
      </UnstyledButton>
    </th>
  )
}
