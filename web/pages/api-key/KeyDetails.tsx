import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeyOfPage } from '../../api/api-key.ts'
import { AccessBadge } from '../../components/AccessBadge.tsx'
import { DescriptionItem, DescriptionList } from '../../components/DescriptionList.tsx'
import { expiresSoon } from '../../components/key-activity.ts'
import { paths } from '../../paths.ts'
import { type DotState, StateDot } from '../../ui/StateDot.tsx'
import { Time } from '../../ui/Time.tsx'

/** Where a key comes from, how long it lives, and what it was last used for. */
export function KeyDetails({ slug, apiKey }: { slug: string; apiKey: KeyOfPage }) {
  const { expiresAt, createdBy } = apiKey
  return (
    <DescriptionList>
      <DescriptionItem name="Status">
        <KeyState apiKey={apiKey} />
      </DescriptionItem>
      <DescriptionItem name="Access">
        <AccessBadge apiKey={apiKey} />
      </DescriptionItem>
      <DescriptionItem name={apiKey.expired ? 'Expired' : 'Expires'}>
        <Time at={expiresAt} />
      </DescriptionItem>
      <DescriptionItem name="Secret">
        <span className="mono">{apiKey.prefix}…</span>
      </DescriptionItem>
      <DescriptionItem name="Created">
        <Time at={apiKey.createdAt} />
      </DescriptionItem>
      <DescriptionItem name="Created by">
        {createdBy.kind === 'API_KEY' && createdBy.id ? (
          <>
            key{' '}
            <Anchor component={Link} to={paths.apiKey(slug, createdBy.id)} inherit underline="always">
              {createdBy.name}
            </Anchor>
          </>
        ) : (
          createdBy.name
        )}
      </DescriptionItem>
      <DescriptionItem name="Last used">
        <Time at={apiKey.lastUsedAt} />
      </DescriptionItem>
      <DescriptionItem name="IP address">{apiKey.lastUsedIp}</DescriptionItem>
      <DescriptionItem name="User agent">{apiKey.lastUsedUserAgent}</DescriptionItem>
      <DescriptionItem name="Operation">
        {apiKey.lastUsedOperation && <span className="mono">{apiKey.lastUsedOperation}</span>}
      </DescriptionItem>
      <DescriptionItem name="ID" wide>
        <span className="mono">{apiKey.id}</span>
      </DescriptionItem>
    </DescriptionList>
  )
}

type Key = Pick<KeyOfPage, 'createdAt' | 'expired' | 'expiresAt' | 'notBefore' | 'paused' | 'replacedBy'>

const KeyState = ({ apiKey }: { apiKey: Key }) => <StateDot {...stateOf(apiKey)} />

function stateOf(apiKey: Key): { state: DotState; words: string } {
  const { expired, notBefore, paused, replacedBy } = apiKey
  if (expired) return { state: 'none', words: 'Expired' }
  if (paused) return { state: 'half', words: 'Paused' }
  if (notBefore !== null && Date.parse(notBefore) > Date.now()) return { state: 'half', words: 'Not accepted yet' }
  if (replacedBy) return { state: 'half', words: 'Being replaced' }
  return expiresSoon(apiKey) ? { state: 'half', words: 'Expires soon' } : { state: 'well', words: 'Active' }
}
