import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useAddressInput } from '../../ui/use-address-input.ts'
import { type AuditSearch, auditSearch } from './audit-search.ts'
import type { ActorGroup } from './use-actors.ts'
import { ACTIONS } from './words.ts'

interface AuditFiltersProps {
  search: AuditSearch
  actors: readonly ActorGroup[]
  onChange: (change: AuditSearch, replace?: boolean) => void
}

/** The filters are kept in the URL, so that a link can be shared. */
export function AuditFilters({ search, actors, onChange }: AuditFiltersProps) {
  const { action = '', actor = '', since = '', until = '' } = search
  return (
    <SimpleGrid component="search" cols={{ base: 2, md: 4 }} spacing="sm" mb="md" aria-label="Filters">
      <NativeSelect
        label="Action"
        value={action}
        onChange={(event) => onChange(auditSearch({ ...search, action: event.currentTarget.value }))}
        data={[{ value: '', label: 'All' }, ...ACTION_OPTIONS]}
      />
      <NativeSelect
        label="Actor"
        value={actor}
        onChange={(event) => onChange({ actor: event.currentTarget.value })}
        data={[{ value: '', label: 'Everyone' }, ...actors]}
      />
      <DayInput label="From" value={since} onDay={(day) => onChange({ since: day }, true)} />
      <DayInput
        label="To"
        value={until}
        onDay={(day) => onChange({ until: day }, true)}
        error={since && until && until < since ? 'This is before the start date.' : undefined}
      />
    </SimpleGrid>
  )
}

interface DayInputProps {
  label: string
  value: string
  onDay: (day: string) => void
  error?: string | undefined
}

function DayInput({ label, value, onDay, error }: DayInputProps) {
  return <TextInput type="date" label={label} {...useAddressInput(value, onDay)} error={error} />
}

const ACTION_OPTIONS = Object.entries(ACTIONS).map(([value, { filter }]) => ({ value, label: filter }))
