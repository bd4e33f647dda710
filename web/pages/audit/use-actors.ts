import { useQuery } from '@tanstack/react-query'
import { apiKeysQuery } from '../../api/api-keys.ts'
import type { AuditEvent } from '../../api/audit.ts'
import { usersQuery } from '../../api/users.ts'

interface Choice {
  value: string
  label: string
}

export interface ActorGroup {
  group: string
  items: Choice[]
}

/** The actors to filter by: current people and keys, and others from the log or the URL. */
export function useActors(slug: string, events: readonly AuditEvent[], chosen: string | undefined): ActorGroup[] {
  const { data: users } = useQuery(usersQuery(slug))
  const { data: keys = [] } = useQuery({ ...apiKeysQuery(slug), refetchInterval: false })
  const people = (users?.data ?? [])
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
