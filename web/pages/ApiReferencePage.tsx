import { Stack, Text, TextInput } from '@mantine/core'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useMemo } from 'react'
import { useReference } from '../api/schema-reference.ts'
import { useViewer } from '../api/viewer.ts'
import { MAX_SEARCH } from '../limits.ts'
import { useAddressInput } from '../ui/use-address-input.ts'
import { ApiLayout } from './api-pages/ApiLayout.tsx'
import { isAnchor } from './api-pages/api-address.ts'
import { Contents } from './api-pages/Contents.tsx'
import { KnownTypes } from './api-pages/Fields.tsx'
import styles from './api-pages/Reference.module.css'
import { RootFields, Types } from './api-pages/RootFields.tsx'
import { searchReference } from './api-pages/search-reference.ts'

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
      <div className={styles['page']}>
        <Contents queries={queries} mutations={mutations} types={types} />
        <Stack gap="lg" maw="var(--width-text)">
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
      </div>
    </ApiLayout>
  )
}

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

/** Goes to the place in the reference that the address names; if a search leaves it out, the search ends. */
function useAnchor(search: string): void {
  const { hash, key } = useLocation({ select: ({ hash, state }) => ({ hash, key: state.__TSR_key }) })
  const navigate = useNavigate({ from: '/$slug/api/reference' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same link again leads there again
  useEffect(() => {
    if (!isAnchor(hash)) return
    const place = document.getElementById(hash)
    if (!place && search) void navigate({ search: {}, hash, replace: true })
    place?.scrollIntoView()
    place?.focus({ preventScroll: true }) // the next Tab is from there
  }, [hash, key, search, navigate])
}
