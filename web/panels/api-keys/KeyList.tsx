import { Alert, Button, Group, NativeSelect, Skeleton, Stack, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { apiKeysQuery, type ListedKey } from '../../api/api-keys.ts'
import { Empty } from '../../ui/Empty.tsx'
import { arrange, ORDERS, type Order } from './arrange.ts'
import { type Asked, loadAhead } from './dialogs.ts'
import styles from './KeyList.module.css'
import { KeyRow } from './KeyRow.tsx'
import { useUsageCharts } from './use-usage-charts.tsx'

const SelectKeys = lazy(async () => ({ default: (await import('./SelectKeys.tsx')).SelectKeys }))
const LONG = 8

interface KeyListProps {
  slug: string
  organization: string
  /** The ids of those that are selected; absent while none are being selected. */
  selected: ReadonlySet<string> | undefined
  onSelect: (ids: ReadonlySet<string> | undefined) => void
  onAsk: (asked: Asked) => void
}

/** Every key of the organization (W3); what changes elsewhere shows here by itself. */
export function KeyList({ slug, organization, selected, onSelect, onAsk }: KeyListProps) {
  const { data: keys, error } = useQuery(apiKeysQuery(slug))
  const chartOf = useUsageCharts(slug)
  const [order, setOrder] = useState<Order>('newest')
  const [search, setSearch] = useState('')
  if (!keys) return error ? <NotCurrent error={error} /> : <Loading />
  if (keys.length === 0) {
    return (
      <Empty title="No keys yet">
        A key lets a script or an integration call the GraphQL API of {organization} with the rights of an Admin, until
        it is revoked. Generate the first one above.
      </Empty>
    )
  }
  const isLong = keys.length > LONG
  const shown = arrange(keys, order, isLong ? search : '')
  const select = (wanted: readonly ListedKey[]) => onSelect(new Set(wanted.map(({ id }) => id)))
  const toggled = (id: string) => {
    const ids = new Set(selected)
    return ids.delete(id) ? ids : ids.add(id)
  }
  return (
    <Stack gap="xs" mt="lg">
      {error && <NotCurrent error={error} />}
      <Group justify="space-between" gap="xs">
        <Title order={3} size="h5">
          {keys.length === 1 ? '1 key' : `${keys.length} keys`}
        </Title>
        <Group gap="xs">
          {isLong && (
            <TextInput
              aria-label="Search"
              type="search"
              placeholder="Search"
              size="xs"
              flex="1 1 6rem"
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          )}
          {keys.length > 1 && (
            <NativeSelect
              aria-label="Sort"
              size="xs"
              value={order}
              onChange={(event) => setOrder(event.currentTarget.value as Order)} // one of the options below
              data={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
            />
          )}
          {(keys.length > 1 || selected) && (
            <Button variant="default" size="xs" onClick={() => onSelect(selected ? undefined : new Set())}>
              {selected ? 'Done' : 'Select'}
            </Button>
          )}
        </Group>
      </Group>
      <Suspense>
        {selected && (
          <SelectKeys
            shown={shown}
            selected={keys.filter(({ id }) => selected.has(id))}
            onSelect={select}
            onRevoke={(keys) => onAsk({ to: 'revokeMany', keys })}
            onReach={() => loadAhead('revokeMany')}
          />
        )}
      </Suspense>
      {shown.length === 0 && <Empty title="No key matches">Try a label, the start of a secret, or who made it.</Empty>}
      <ul className={styles['keys']} aria-label="Keys">
        {shown.map((key) => (
          <KeyRow
            key={key.id}
            slug={slug}
            apiKey={key}
            chart={chartOf(key.id)}
            successor={keys.find(({ id }) => id === key.replacedBy?.id)}
            selection={selected && { isSelected: selected.has(key.id), toggle: () => onSelect(toggled(key.id)) }}
            onRevoke={() => onAsk({ to: 'revoke', apiKey: key })}
            onRotate={() => onAsk({ to: 'rotate', apiKey: key })}
            onReach={loadAhead}
          />
        ))}
      </ul>
    </Stack>
  )
}

function NotCurrent({ error }: { error: Error }) {
  return (
    <Alert color="red" role="alert" mt="md">
      The list of keys is not current. {error.message}
    </Alert>
  )
}

function Loading() {
  return (
    <Stack mt="lg" aria-busy="true" aria-label="Loading" role="status">
      <Skeleton height={64} />
      <Skeleton height={64} />
    </Stack>
  )
}
