import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import type { ListedKey } from '../../api/api-keys.ts'
import { ORDERS, STATES, type Wanted } from './arrange.ts'

const LONG = 8

interface KeyToolsProps {
  keys: readonly ListedKey[]
  wanted: Omit<Wanted, 'only'>
  onChange: (wanted: Omit<Wanted, 'only'>) => void
  selected: ReadonlySet<string> | undefined
  onSelect: (ids: ReadonlySet<string> | undefined) => void
}

/** To find a key among many: each tool is there once it is of use. */
export function KeyTools({ keys, wanted, onChange, selected, onSelect }: KeyToolsProps) {
  const hasBoth = keys.some(({ expired }) => expired) && keys.some(({ expired }) => !expired)
  return (
    <Group gap="xs">
      {(keys.length > LONG || wanted.search !== '') && (
        <TextInput
          aria-label="Search"
          type="search"
          placeholder="Search"
          size="xs"
          flex="1 1 6rem"
          value={wanted.search}
          onChange={(event) => onChange({ ...wanted, search: event.currentTarget.value })}
        />
      )}
      {(hasBoth || wanted.state !== 'any') && (
        <NativeSelect
          aria-label="Status"
          size="xs"
          value={wanted.state}
          onChange={(event) => onChange({ ...wanted, state: event.currentTarget.value as Wanted['state'] })} // one of those below
          data={Object.entries(STATES).map(([value, label]) => ({ value, label }))}
        />
      )}
      {keys.length > 1 && (
        <NativeSelect
          aria-label="Sort"
          size="xs"
          value={wanted.order}
          onChange={(event) => onChange({ ...wanted, order: event.currentTarget.value as Wanted['order'] })} // one of those below
          data={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
        />
      )}
      <Button variant="default" size="xs" onClick={() => onSelect(selected ? undefined : new Set())}>
        {selected ? 'Done' : 'Select'}
      </Button>
    </Group>
  )
}
