import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useDeferredValue, useMemo, useRef } from 'react'
import { apiKeysQuery, type ListedKey } from '../../api/api-keys.ts'
import { countKeys } from '../../components/key-activity.ts'
import { loadAhead, type OpenDialog } from '../../forms/api-keys/dialogs.ts'
import { Empty } from '../../ui/Empty.tsx'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { lastPage, PAGE_SIZE, Paging } from '../../ui/Paging.tsx'
import { arrange } from './arrange.ts'
import { KeyRows } from './KeyRows.tsx'
import { KeyTools, ListViews, LoadingKeys, OtherView, OutdatedKeys } from './KeyTools.tsx'
import type { KeySearch } from './key-search.ts'
import { LeakTools } from './LeakTools.tsx'

const SelectKeys = lazyDialog(() => import('./SelectKeys.tsx'))
const RevokedKeys = lazyDialog(() => import('./RevokedKeys.tsx'))

interface KeyListProps {
  slug: string
  organization: string
  /** The ids of those that are selected; absent while none are being selected. */
  selected: ReadonlySet<string> | undefined
  onSelect: (ids: ReadonlySet<string> | undefined) => void
  onOpen: (dialog: OpenDialog) => void
  /** A key whose secret was never received. */
  lostId: string | undefined
}

/** The keys of the organization, page by page (W3); what changes elsewhere shows here by itself. */
export function KeyList({ slug, organization, selected, onSelect, onOpen, lostId }: KeyListProps) {
  const { data: keys, error } = useQuery(apiKeysQuery(slug))
  const { wanted, show } = useKeySearch()
  const listed = useDeferredValue(wanted) // rows are drawn in between other work: all at once they are a stall
  const head = useRef<HTMLDivElement>(null)
  const matching = useMemo(() => arrange(keys ?? [], listed), [keys, listed])
  const page = Math.min(listed.page ?? 1, lastPage(matching.length))
  const shown = useMemo(() => matching.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), [matching, page])
  if (!keys) return error ? <OutdatedKeys error={error} /> : <LoadingKeys />
  if (listed.view === 'revoked') {
    return (
      <Stack gap="xs" mt="md">
        <Group gap="xs">
          <ListViews keys={countKeys(keys.length)} view={listed.view} onShow={show} />
        </Group>
        <Suspense fallback={<LoadingKeys />}>
          <RevokedKeys slug={slug} onClose={() => show({ view: undefined })} />
        </Suspense>
      </Stack>
    )
  }
  if (keys.length === 0) {
    return (
      <Empty
        title="No keys yet"
        action={
          <Group gap="xs">
            <OtherView onClick={() => show({ view: 'revoked' })}>Recently revoked keys</OtherView>
            <LeakTools onOpen={onOpen} />
          </Group>
        }
      >
        A key lets a script or an integration call the GraphQL API of {organization}, until it is revoked. Generate the
        first one above.
      </Empty>
    )
  }
  const select = (chosen: readonly ListedKey[]) => onSelect(new Set(chosen.map(({ id }) => id)))
  /** The bar comes together with the checkboxes, which it moves down. */
  const toggleSelecting = () => (selected ? onSelect(undefined) : void SelectKeys.whenLoaded(() => onSelect(new Set())))
  const turnTo = (to: number) => {
    show({ page: to === 1 ? undefined : to })
    head.current?.scrollIntoView({ block: 'start' })
  }
  return (
    <Stack gap="xs" mt="md">
      {error && <OutdatedKeys error={error} />}
      <Group gap="xs" ref={head}>
        <ListViews keys={countKeys(keys.length)} view={listed.view} onShow={show} />
        {keys.length > 1 || selected ? (
          <KeyTools
            keys={keys}
            wanted={wanted}
            onShow={show}
            isSelecting={selected !== undefined}
            onToggle={toggleSelecting}
          >
            <LeakTools onOpen={onOpen} />
          </KeyTools>
        ) : (
          <LeakTools onOpen={onOpen} />
        )}
      </Group>
      {listed.only && (
        <OnlySome count={matching.length} onShowAll={() => show({ only: undefined }, { replace: true })} />
      )}
      {selected && (
        <SelectKeys
          shown={matching}
          selected={keys.filter(({ id }) => selected.has(id))}
          onSelect={select}
          onRevoke={(keys) => onOpen({ kind: 'revokeMany', keys })}
          onReach={() => loadAhead('revokeMany')}
          onClose={() => onSelect(undefined)}
        />
      )}
      {shown.length === 0 && <NoMatch onClear={() => show({ q: undefined, state: undefined })} />}
      {shown.length > 0 && (
        <KeyRows
          slug={slug}
          keys={keys}
          shown={shown}
          sort={listed.sort}
          selected={selected}
          onSelect={onSelect}
          onOpen={onOpen}
          lostId={lostId}
        />
      )}
      <Paging page={page} count={matching.length} onPage={turnTo} />
    </Stack>
  )
}

function OnlySome({ count, onShowAll }: { count: number; onShowAll: () => void }) {
  return (
    <Group gap="xs">
      <Text size="sm">Showing {count === 1 ? 'the key' : `the ${countKeys(count)}`} generated by a revoked key.</Text>
      <Button variant="default" size="compact-sm" onClick={onShowAll}>
        Show all keys
      </Button>
    </Group>
  )
}

const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Empty
    title="No matching keys"
    action={
      <Button variant="default" size="xs" onClick={onClear}>
        Clear filters
      </Button>
    }
  >
    Search by label, prefix or creator, by the IP address, user agent or operation of the last call, or paste a secret.
  </Empty>
)

/** What the address asks for of the list, and how to ask for something else. Each choice but a page begins at the first. */
function useKeySearch() {
  const wanted: KeySearch = useSearch({ strict: false })
  const navigate = useNavigate()
  /** With `replace` it takes the place of the last one in the history: letters that are typed are no steps back. */
  const show = (changes: KeySearch, { replace = false } = {}) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, page: undefined, ...changes }),
      replace,
      resetScroll: false,
    })
  return { wanted, show }
}
