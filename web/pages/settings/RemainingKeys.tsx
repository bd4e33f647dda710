import { Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Suspense, useRef, useState } from 'react'
import { apiKeysQuery, type ListedKey } from '../../api/api-keys.ts'
import { RevokeKey } from '../../forms/api-keys/dialogs.ts'
import { usePause } from '../../forms/api-keys/pause/use-pause.ts'
import { KeyRow, KeyTable } from '../api-keys/KeyRow.tsx'
import { useUsageCharts } from '../api-keys/use-usage-charts.tsx'

/** With the feature off, the keys that are left can still be seen and revoked (K11). */
export default function RemainingKeys({ slug }: { slug: string }) {
  const { data: keys } = useSuspenseQuery(apiKeysQuery(slug))
  const chartOf = useUsageCharts(
    slug,
    keys.map(({ id }) => id),
  )
  const pause = usePause(slug)
  const [revoking, setRevoking] = useState<ListedKey>()
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <div>
      {keys.length > 0 && (
        <>
          <Title order={3} size="h5" ref={heading} tabIndex={-1}>
            Remaining keys
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            They keep working until they are revoked, even while API keys are switched off.
          </Text>
          <KeyTable>
            {keys.map((key) => (
              <KeyRow
                key={key.id}
                slug={slug}
                apiKey={key}
                chart={chartOf(key.id)}
                successor={keys.find(({ id }) => id === key.replacedBy?.id)}
                actions={pause.entriesFor(key)}
                isPending={pause.pendingId === key.id}
                onRevoke={() => setRevoking(key)}
              />
            ))}
          </KeyTable>
        </>
      )}
      <Suspense>
        {revoking && (
          <RevokeKey slug={slug} apiKey={revoking} onClose={() => setRevoking(undefined)} returnTo={heading} />
        )}
      </Suspense>
    </div>
  )
}
