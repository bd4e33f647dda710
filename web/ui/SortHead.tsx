import { UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import styles from './SortHead.module.css'

interface SortHeadProps {
  by: string
  /** Where it is in the address. */
  param?: 'sort' | 'order'
  /** What the list is sorted by; with a minus: the last first. Undefined: by none of its columns. */
  sort: string | undefined
  /** The latest come first. */
  isTime?: boolean
  className?: string | undefined
  children: string
}

/** The head of a column that can be sorted by, as the address then says; a second click turns the order around. */
export function SortHead({ by, param = 'sort', sort, isTime = false, className, children }: SortHeadProps) {
  const navigate = useNavigate()
  const isUp = sort === by
  const isDown = sort === `-${by}`
  const next = isUp || (isTime && !isDown) ? `-${by}` : by
  return (
    <th scope="col" className={className} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}>
      <UnstyledButton
        className={styles['button']}
        onClick={() =>
          navigate({
            to: '.',
            search: (before) => ({ ...before, after: undefined, page: undefined, [param]: next as never }),
          })
        }
      >
        {children}
      </UnstyledButton>
    </th>
  )
}
