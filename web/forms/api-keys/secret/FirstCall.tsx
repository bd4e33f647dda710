import { Group, Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { firstCallQuery } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { Time } from '../../../ui/Time.tsx'

/** Waits for the first call with a new key, and says when it came, and from where. */
export function FirstCall({ slug, id }: { slug: string; id: string }) {
  const { data: key, error } = useQuery(firstCallQuery(slug, id))
  const isDisconnected = error instanceof ApiError && error.code === 'NOT_FOUND'
  return (
    <Group role="status" gap="xs" wrap="nowrap">
      {key?.lastUsedAt ? (
        <Text c="teal">
          ✓ First call received from {key.lastUsedIp ?? 'an unknown address'}, <Time at={key.lastUsedAt} />
        </Text>
      ) : isDisconnected ? (
        <Text>This key has been revoked in the meantime.</Text>
      ) : (
        <>
          <Loader size="xs" aria-hidden="true" />
          <Text c="dimmed">Waiting for the first call …</Text>
        </>
      )}
    </Group>
  )
}
