import { Group, Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { GeneratedKey } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { firstCallQuery } from '../../../api/first-call.ts'
import { Time } from '../../../ui/Time.tsx'
import { refusedUntil } from './refused-until.ts'

/** Waits for the first call with a new key, and says when it came, and from where; or from when on it can come. */
export function FirstCall({ slug, apiKey }: { slug: string; apiKey: GeneratedKey['apiKey'] }) {
  const { data: key, error } = useQuery(firstCallQuery(slug, apiKey.id))
  const refused = refusedUntil(apiKey)
  const isDisconnected = error instanceof ApiError && error.code === 'NOT_FOUND'
  return (
    <Group role="status" gap="xs" wrap="nowrap">
      {key?.lastUsedAt ? (
        <Text c="teal">
          ✓ First call received from {key.lastUsedIp ?? 'an unknown address'}, <Time at={key.lastUsedAt} />
        </Text>
      ) : isDisconnected ? (
        <Text>This key has been revoked in the meantime.</Text>
      ) : refused ? (
        <Text>{refused}</Text>
      ) : (
        <>
          <Loader size="xs" aria-hidden="true" />
          <Text c="dimmed">Waiting for the first call …</Text>
        </>
      )}
    </Group>
  )
}
