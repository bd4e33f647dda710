import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type DeviceSearch, deviceTagsQuery, isFiltered } from '../../api/devices.ts'
import { hasSecret } from '../../api/secret-text.ts'
import { devicesWith, useTagsInUse } from '../../forms/devices/use-tags-in-use.ts'
import { MAX_SEARCH } from '../../limits.ts'
import { useAddressInput } from '../../ui/use-address-input.ts'
import { useKeyOfSecret } from '../../ui/use-key-of-secret.tsx'
import styles from './DeviceFilters.module.css'
import { deviceSearch } from './device-search.ts'
import type { Density } from './use-density.ts'
import { ViewMenu } from './ViewMenu.tsx'

const STATUS_CHOICES = [
  { value: '', label: 'Any status' },
  { value: 'ONLINE', label: 'Online' },
  { value: 'OFFLINE', label: 'Offline' },
  { value: 'NEVER_SEEN', label: 'Never seen' },
]
/** For a phone, which has no room for all columns and their heads. */
const SORT_CHOICES = [
  { value: '', label: 'By name' },
  { value: '-name', label: 'Name, Z to A' },
  { value: '-lastSeen', label: 'Last seen' },
  { value: '-updated', label: 'Last changed' },
  { value: '-created', label: 'Newest' },
]
const ENABLED_CHOICES = [
  { value: '', label: 'Enabled: any' },
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
]

interface DeviceFiltersProps {
  slug: string
  wanted: DeviceSearch
  summary: string
  density: Density
}

/** Which devices the list shows. All of it is in the URL, so that links, reload and Back work. */
export function DeviceFilters({ slug, wanted, summary, density }: DeviceFiltersProps) {
  const navigate = useNavigate()
  const { search = '', status = '', tags = [], enabled, sort = '' } = wanted
  const show = (changes: Record<string, unknown>, replace = false) =>
    navigate({ to: '.', search: (now) => deviceSearch({ ...now, after: undefined, ...changes }), replace })
  const [isTagging, setTagging] = useState(false)

  return (
    <>
      <search className={styles['filters']}>
        <SearchField search={search} onSearch={(text) => show({ search: text }, true)} />
        <NativeSelect
          aria-label="Status"
          data={STATUS_CHOICES}
          value={status}
          onChange={(event) => show({ status: event.currentTarget.value })}
        />
        <NativeSelect
          aria-label="Enabled"
          data={ENABLED_CHOICES}
          value={enabled === undefined ? '' : String(enabled)}
          onChange={({ currentTarget: { value } }) => show({ enabled: value === '' ? undefined : value === 'true' })}
        />
        <TagField
          slug={slug}
          chosen={tags}
          isUsed={isTagging}
          onUse={setTagging}
          onTag={(tag) => show({ tags: [...tags, tag] })}
        />
        <NativeSelect
          className={styles['sort']}
          aria-label="Sort"
          data={SORT_CHOICES}
          value={sort}
          onChange={(event) => show({ sort: event.currentTarget.value })}
        />
      </search>
      <Group gap="xs" mb="xs" mih="var(--control-compact)">
        <Text size="sm" c="dimmed" role="status">
          {summary}
        </Text>
        {isTagging && (
          <Text size="sm" c="dimmed" id={TAG_HINT}>
            Pick a tag, or press Enter
          </Text>
        )}
        {tags.map((tag) => (
          <Button
            key={tag}
            variant="default"
            size="compact-sm"
            radius="xl"
            aria-label={`Remove tag ${tag}`}
            onClick={() => show({ tags: tags.filter((other) => other !== tag) })}
          >
            {tag}&nbsp;<span aria-hidden="true">×</span>
          </Button>
        ))}
        {isFiltered(wanted) && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => navigate({ to: '.', search: deviceSearch({ sort: wanted.sort, columns: wanted.columns }) })}
          >
            Clear filters
          </Button>
        )}
        <ViewMenu slug={slug} wanted={wanted} density={density} />
      </Group>
    </>
  )
}

const TYPING_MS = 200

/** Goes into the address when the typing pauses. */
function SearchField({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
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

const TAG_HINT = 'tag-hint'

interface TagFieldProps {
  slug: string
  chosen: readonly string[]
  isUsed: boolean
  onUse: (isUsed: boolean) => void
  onTag: (tag: string) => void
}

/** A tag to filter by, typed or picked from those in use. A device must have all that are chosen. */
function TagField({ slug, chosen, isUsed, onUse, onTag }: TagFieldProps) {
  const [typed, setTyped] = useState('')
  const suggestions = useTagsInUse(slug, typed, isUsed).filter(({ tag }) => !chosen.includes(tag))
  const findKey = useKeyOfSecret()
  const queryClient = useQueryClient()
  const add = (field: HTMLInputElement) => {
    const tag = field.value.trim()
    field.value = ''
    setTyped('')
    if (hasSecret(tag)) void findKey(tag)
    else if (tag) onTag(tag)
  }
  return (
    <>
      <TextInput
        aria-label="Tag"
        placeholder="Filter by tag"
        aria-describedby={isUsed ? TAG_HINT : undefined}
        maxLength={MAX_SEARCH} // not that of a tag: a secret that was cut would not lead to its key
        list="tags-in-use"
        enterKeyHint="done"
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) add(event.currentTarget)
        }}
        onChange={(event) => {
          const field = event.currentTarget
          setTyped(field.value)
          if (isPicked(event.nativeEvent) && suggestions.some(({ tag }) => tag === field.value)) add(field)
        }}
        onPointerEnter={() => void queryClient.prefetchQuery(deviceTagsQuery(slug, ''))}
        onFocus={() => onUse(true)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text')
          if (!hasSecret(pasted)) return
          event.preventDefault()
          void findKey(pasted)
        }}
        onBlur={(event) => {
          onUse(false)
          add(event.currentTarget)
        }}
      />
      <datalist id="tags-in-use">
        {suggestions.map(({ tag, devices }) => (
          <option key={tag} value={tag}>
            {devicesWith(devices)}
          </option>
        ))}
      </datalist>
    </>
  )
}

/** Whether the text came out of the list of suggestions; browsers say it in one of two ways. */
const isPicked = (event: Event) => !(event instanceof InputEvent) || event.inputType === 'insertReplacementText'
