import { Stack, Text, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { useReference } from '../api/schema-reference.ts'
import { useViewer } from '../api/viewer.ts'
import { MAX_SEARCH } from '../limits.ts'
import { useAddressInput } from '../ui/use-address-input.ts'
import { ApiLayout } from './api/ApiLayout.tsx'
import { RootFields } from './api/RootFields.tsx'
import { searchReference } from './api/search-reference.ts'
import { KnownTypes } from './api/TypeName.tsx'
import { Types } from './api/Types.tsx'
import { useAnchor } from './api/use-anchor.ts'

const TYPING_MS = 150

/** Every query, mutation and type. */
export function ApiReferencePage() {
  const { search = '' } = useSearch({ from: '/signed-in/$slug/api/reference' })
  const navigate = useNavigate({ from: '/$slug/api/reference' })
  const shown = useDeferredValue(search)
  const reference = useReference()
  const known = useMemo(() => new Set(reference.types.map(({ name }) => name)), [reference])
  const { queries, mutations, types } = searchReference(reference, shown)
  const total = queries.length + mutations.length + types.length
  const input = useAddressInput(
    search,
    (text) => void navigate({ search: { search: text || undefined }, hash: '', replace: true, resetScroll: false }),
    TYPING_MS,
  )
  useAnchor(shown)
  return (
    <ApiLayout title="API reference" viewer={useViewer()}>
      <Stack gap="lg" maw={860}>
        <TextInput
          type="search"
          aria-label="Search the reference"
          placeholder="Search queries, mutations, types, fields"
          maxLength={MAX_SEARCH}
          {...input}
        />
        <Text size="sm" c="dimmed" role="status">
          {total === 0
            ? `Nothing matches “${shown}”.`
            : `${count(queries.length, 'query', 'queries')}, ${count(mutations.length, 'mutation')}, ${count(types.length, 'type')}`}
        </Text>
        <KnownTypes value={known}>
          <RootFields title="Queries" kind="query" fields={queries} />
          <RootFields title="Mutations" kind="mutation" fields={mutations} />
          <Types types={types} />
        </KnownTypes>
      </Stack>
    </ApiLayout>
  )
}

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`
