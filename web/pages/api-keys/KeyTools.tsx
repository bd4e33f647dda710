import { Alert, Anchor, Button, NativeSelect, Skeleton, Stack, TextInput, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { MAX_SEARCH } from '../../limits.ts'
import { useAddressInput } from '../../ui/use-address-input.ts'
import { IS } from './arrange.ts'
import styles from './KeyTools.module.css'
import { type KeySearch, ORDERS, type Order, STATES, type State } from './key-search.ts'

interface KeyToolsProps {
  keys: readonly ListedKey[]
  wanted: KeySearch
  onShow: (changes: KeySearch, options?: { replace: boolean }) => void
  isSelecting: boolean
  onToggle: () => void
  /** Beside them. */
  children: ReactNode
}

/** To find a key among many: all of it goes into the address. */
export function KeyTools({ keys, wanted, onShow, isSelecting, onToggle, children }: KeyToolsProps) {
  const search = useAddressInput(wanted.q ?? '', (q) => onShow({ q: q || undefined }, { replace: true }))
  return (
    <search className={styles['tools']}>
      <TextInput
        aria-label="Search"
        type="search"
        placeholder="Search label, address, user agent or secret"
        size="xs"
        maxLength={MAX_SEARCH}
        className={styles['search'] ?? ''}
        {...search}
      />
      <NativeSelect
        aria-label="Status"
        size="xs"
        value={wanted.state ?? ''}
        onChange={({ currentTarget: { value } }) => onShow({ state: (value || undefined) as State | undefined })} // one of those below
        data={[
          { value: '', label: 'All keys' },
          ...choices(STATES).map(({ value, label }) => ({
            value,
            label: `${label} (${keys.filter(IS[value]).length})`,
          })),
        ]}
      />
      <NativeSelect
        aria-label="Sort"
        size="xs"
        value={wanted.sort ?? '-created'}
        onChange={({ currentTarget: { value } }) => onShow({ sort: value as Order })} // one of those below
        data={choices(ORDERS)}
      />
      <Button variant="default" size="xs" onClick={onToggle}>
        {isSelecting ? 'Done' : 'Select'}
      </Button>
      {children}
    </search>
  )
}

const choices = <Value extends string>(labels: Record<Value, string>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as Value, label })) // what it is made of

interface ListViewsProps {
  /** What the list of keys is called, with their number. */
  keys: string
  view: KeySearch['view']
  onShow: (changes: KeySearch) => void
}

/** The heading of what is shown, and the way to the other list. */
export function ListViews({ keys, view, onShow }: ListViewsProps) {
  return view === 'revoked' ? (
    <>
      <OtherView onClick={() => onShow({ view: undefined })}>{keys}</OtherView>
      <Current>Recently revoked</Current>
    </>
  ) : (
    <>
      <Current>{keys}</Current>
      <OtherView onClick={() => onShow({ view: 'revoked' })}>Recently revoked</OtherView>
    </>
  )
}

const Current = ({ children }: { children: string }) => (
  <Title order={2} size="h5">
    {children}
  </Title>
)

export const OtherView = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <Anchor component="button" type="button" size="sm" underline="always" onClick={onClick}>
    {children}
  </Anchor>
)

/** Above a list that could not be loaded, or not again. */
export const OutdatedKeys = ({ error }: { error: Error }) => (
  <Alert color="danger" role="alert" mt="md">
    The list of keys may be out of date. {error.message}
  </Alert>
)

/** In place of a list that is not there yet. */
export const LoadingKeys = () => (
  <Stack mt="lg" aria-busy="true" aria-label="Loading" role="status">
    <Skeleton height="var(--row)" />
    <Skeleton height="var(--row)" />
    <Skeleton height="var(--row)" />
  </Stack>
)
