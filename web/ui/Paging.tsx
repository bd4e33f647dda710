import { Button, Group, Text } from '@mantine/core'

export const PAGE_SIZE = 25

interface PagingProps {
  /** From 1. */
  page: number
  /** How many there are on all pages. */
  count: number
  onPage: (page: number) => void
}

/** Which part of a long list is shown, and the way to the others. */
export function Paging({ page, count, onPage }: PagingProps) {
  if (count <= PAGE_SIZE) return null
  const first = (page - 1) * PAGE_SIZE + 1
  const last = Math.min(page * PAGE_SIZE, count)
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" gap="xs">
      <Text size="sm" role="status">
        {first.toLocaleString()}–{last.toLocaleString()} of {count.toLocaleString()}
      </Text>
      <Group gap="xs">
        <Turn to={page - 1} disabled={page === 1} onPage={onPage}>
          Previous
        </Turn>
        <Turn to={page + 1} disabled={last === count} onPage={onPage}>
          Next
        </Turn>
      </Group>
    </Group>
  )
}

interface TurnProps {
  to: number
  disabled: boolean
  onPage: (page: number) => void
  children: string
}

/** Not `disabled`: the focus of who turned to the last page by keyboard would be lost. */
const Turn = ({ to, disabled, onPage, children }: TurnProps) => (
  <Button
    variant="default"
    size="xs"
    {...(disabled ? { 'data-disabled': true, 'aria-disabled': true } : { onClick: () => onPage(to) })}
  >
    {children}
  </Button>
)

export const lastPage = (count: number) => Math.max(1, Math.ceil(count / PAGE_SIZE))
