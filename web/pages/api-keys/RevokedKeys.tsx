import { Anchor, Badge, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type RevokedKey, revokedKeysQuery } from '../../api/revoke-keys.ts'
import { paths } from '../../paths.ts'
import { Empty } from '../../ui/Empty.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { Time } from '../../ui/Time.tsx'
import { LoadingKeys, OutdatedKeys } from './KeyTools.tsx'
import styles from './RevokedKeys.module.css'

/** The keys that are gone: when, by whom and why, the last one first. */
export default function RevokedKeys({ slug }: { slug: string }) {
  const query = useInfiniteQuery(revokedKeysQuery(slug))
  const { data, error } = query
  if (!data) return error ? <OutdatedKeys error={error} /> : <LoadingKeys />
  const keys = data.pages.flatMap((page) => page.data)
  if (keys.length === 0) return <Empty title="No revoked keys">Keys that are revoked are listed here.</Empty>
  return (
    <Stack gap="xs">
      {error && <OutdatedKeys error={error} />}
      <ul className="plain-list" aria-label="Recently revoked keys">
        {keys.map((key) => (
          <Row key={key.id} slug={slug} apiKey={key} />
        ))}
      </ul>
      <ShowMore query={query}>Show more</ShowMore>
    </Stack>
  )
}

function Row({ slug, apiKey }: { slug: string; apiKey: RevokedKey }) {
  const { id, label, prefix, cause, reason, revokedAt, revokedBy, lastUsedAt } = apiKey
  return (
    <li className={styles['key']}>
      <div>
        <Text span fw={600} size="sm">
          {label}
        </Text>{' '}
        <Badge>{CAUSES[cause]}</Badge>
        {reason && (
          <Text size="sm" className={styles['reason'] ?? ''}>
            “{reason}”
          </Text>
        )}
        <Text size="xs" c="dimmed" component="div">
          <span className="mono">{prefix}…</span> · <Time at={revokedAt} />
          {revokedBy.kind === 'SYSTEM' ? '' : ` by ${revokedBy.kind === 'API_KEY' ? 'key ' : ''}${revokedBy.name}`} ·{' '}
          {lastUsedAt ? (
            <>
              last used <Time at={lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
        </Text>
      </div>
      <Anchor
        component={Link}
        to={paths.apiKeyChanges(slug, id)}
        size="sm"
        underline="always"
        aria-label={`View changes by ${label}`}
      >
        View changes
      </Anchor>
    </li>
  )
}

const CAUSES: Record<RevokedKey['cause'], string> = {
  REVOKED: 'Revoked',
  ROTATED: 'Replaced',
  EXPIRED: 'Removed after it expired',
  UNUSED: 'Revoked as unused',
  LEAKED: 'Leaked',
  POLICY: 'Revoked by a policy',
  FEATURE_DISABLED: 'Revoked with API keys switched off',
  RESTORED: 'Revoked after a restore',
}
