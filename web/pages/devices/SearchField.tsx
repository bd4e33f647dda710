import { TextInput } from '@mantine/core'
import { MAX_SEARCH } from '../../limits.ts'
import { useAddressInput } from '../../ui/use-address-input.ts'

const TYPING_MS = 200

/** Goes into the address when the typing pauses. */
export function SearchField({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  return (
    <TextInput
      type="search"
      aria-label="Search"
      placeholder="Search by name"
      maxLength={MAX_SEARCH}
      {...useAddressInput(search, onSearch, TYPING_MS)}
    />
  )
}
