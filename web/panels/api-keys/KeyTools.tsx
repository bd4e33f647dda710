import { Button, NativeSelect, TextInput } from '@mantine/core'
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
}

/** To find a key among many: all of it goes into the address. */
export function KeyTools({ keys, wanted, onShow, isSelecting, onToggle }: KeyToolsProps) {
  const search = useAddressInput(wanted.q ?? '', (q) => onShow({ q: q || undefined }, { replace: true }))
  return (
    <search className={styles['tools']}>
      <TextInput
        aria-label="Search"
        type="search"
        placeholder="Search"
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
        value={wanted.sort ?? 'newest'}
        onChange={({ currentTarget: { value } }) => onShow({ sort: value === 'newest' ? undefined : (value as Order) })} // one of those below
        data={choices(ORDERS)}
      />
      <Button variant="default" size="xs" onClick={onToggle}>
        {isSelecting ? 'Done' : 'Select'}
      </Button>
    </search>
  )
}

const choices = <Value extends string>(labels: Record<Value, string>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as Value, label })) // what it is made of
