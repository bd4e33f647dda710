import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { apiKeysQuery } from '../../api/api-keys.ts'
import type { AuditEvent } from '../../api/audit.ts'
import { usersQuery } from '../../api/users.ts'
import { useAddressInput } from '../../ui/use-address-input.ts'
import { type AuditSearch, auditSearch } from './audit-search.ts'
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
        error={since && until && until < since ? 'This date is before the start date.' : undefined}
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

interface Choice {
  value: string
  label: string
}

interface ActorGroup {
  group: string
  items: Choice[]
}

/** The actors to filter by: current people and keys, and others from the log or the URL. */
export function useActors(slug: string, events: readonly AuditEvent[], chosen: string | undefined): ActorGroup[] {
  const { data: users } = useInfiniteQuery(usersQuery(slug))
  const { data: keys = [] } = useQuery({ ...apiKeysQuery(slug), refetchInterval: false })
  const people = (users?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter(({ invited }) => !invited)
    .map(({ id, name }) => ({ value: id, label: name }))
  const active = keys.map(({ id, label }) => ({ value: id, label }))
  const known = new Set([...people, ...active].map(({ value }) => value))
  const others = new Map<string, string>(chosen && !known.has(chosen) ? [[chosen, 'Unknown']] : [])
  for (const { actor } of events) {
    if (actor.id && !known.has(actor.id)) others.set(actor.id, actor.name)
  }
  return [
    { group: 'People', items: people },
    { group: 'API keys', items: active },
    { group: 'Former users and keys', items: [...others].map(([value, label]) => ({ value, label })) },
  ].filter(({ items }) => items.length > 0)
}
