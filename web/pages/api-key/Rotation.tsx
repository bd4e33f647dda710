import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeyOfPage, KeySide } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import styles from './Rotation.module.css'

/** Both sides of a rotation: which of them is still used, and from where. */
export function Rotation({ slug, apiKey }: { slug: string; apiKey: KeyOfPage }) {
  const { replaces, replacedBy } = apiKey
  if (!replaces && !replacedBy) return null
  const sides: { side: KeySide; role: string }[] = [
    ...(replaces ? [{ side: replaces, role: replacedBy ? 'Previous' : 'Old' }] : []),
    { side: apiKey, role: replacedBy ? 'Old' : 'New' },
    ...(replacedBy ? [{ side: replacedBy, role: 'New' }] : []),
  ]
  return (
    <Section title="Rotation" message={whichIsUsed(apiKey)}>
      <ul className={styles['sides']} aria-label="Keys of this rotation">
        {sides.map(({ side, role }) => (
          <li key={side.id}>
            <div>
              {role}:{' '}
              {side.id === apiKey.id ? (
                <>
                  <span className="mono">{side.prefix}…</span> (this key)
                </>
              ) : (
                <Anchor component={Link} to={paths.apiKey(slug, side.id)} inherit underline="always" className="mono">
                  {side.prefix}…
                </Anchor>
              )}
            </div>
            <SideUse side={side} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function SideUse({ side: { lastUsedAt, lastUsedIp, lastUsedUserAgent, expiresAt, expired } }: { side: KeySide }) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {lastUsedAt ? 'Last used ' : 'Never used'}
      {lastUsedAt && <Time at={lastUsedAt} />}
      {lastUsedIp && ` from ${lastUsedIp}`}
      {lastUsedUserAgent && ` by ${lastUsedUserAgent}`}
      {expiresAt && (
        <>
          {' '}
          · {expired ? 'expired' : 'expires'} <Time at={expiresAt} />
        </>
      )}
    </Text>
  )
}

function whichIsUsed(apiKey: KeyOfPage): string {
  const { replaces, replacedBy } = apiKey
  const [old, successor] = replacedBy ? [apiKey, replacedBy] : [replaces, apiKey]
  if (!old || old.expired) return 'The old key has expired.'
  if (old.lastUsedAt && old.lastUsedAt > successor.createdAt)
    return 'The old key is still used. Both keys work until it expires.'
  return 'The old key has not been used since it was replaced. You can revoke it.'
}
