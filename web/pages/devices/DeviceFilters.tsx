import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type DeviceSearch, isFiltered, type ListedDevice } from '../../api/devices.ts'
import styles from './DeviceFilters.module.css'
import { deviceSearch } from './device-search.ts'
import { SearchField } from './SearchField.tsx'
import { TagField } from './TagField.tsx'

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
  { value: '', label: 'Enabled or not' },
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
]

interface DeviceFiltersProps {
  wanted: DeviceSearch
  /** Those in sight: their tags are suggested. */
  devices: readonly ListedDevice[]
  summary: string
}

/** Which devices the list shows. All of it is in the URL, so that links, reload and Back work. */
export function DeviceFilters({ wanted, devices, summary }: DeviceFiltersProps) {
  const navigate = useNavigate()
  const { search = '', status = '', tags = [], enabled, sort = '' } = wanted
  const show = (changes: Record<string, unknown>, replace = false) =>
    navigate({ to: '.', search: deviceSearch({ ...wanted, after: undefined, ...changes }), replace })
  const seenTags = [...new Set(devices.flatMap((device) => device.tags))].filter((tag) => !tags.includes(tag))

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
        <TagField suggestions={seenTags} onTag={(tag) => show({ tags: [...tags, tag] })} />
        <NativeSelect
          className={styles['sort']}
          aria-label="Sort"
          data={SORT_CHOICES}
          value={sort}
          onChange={(event) => show({ sort: event.currentTarget.value })}
        />
      </search>
      <Group gap="xs" mb="xs" mih={26}>
        <Text size="sm" c="dimmed" role="status">
          {summary}
        </Text>
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
            onClick={() => navigate({ to: '.', search: deviceSearch({ sort: wanted.sort }) })}
          >
            Clear filters
          </Button>
        )}
      </Group>
    </>
  )
}
