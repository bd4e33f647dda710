import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeyOfPage } from '../../api/api-key.ts'
import { Fact, Facts } from '../../components/Facts.tsx'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import { KeyState } from './KeyState.tsx'

/** Where a key comes from, how long it lives, and what it was last used for. */
export function KeyFacts({ slug, apiKey }: { slug: string; apiKey: KeyOfPage }) {
  const { expiresAt, createdBy } = apiKey
  return (
    <Facts>
      <Fact name="State">
        <KeyState apiKey={apiKey} />
      </Fact>
      <Fact name={apiKey.expired ? 'Ended' : 'Ends'}>
        <Time at={expiresAt} />
      </Fact>
      <Fact name="Secret">
        <span className="mono">{apiKey.prefix}…</span>
      </Fact>
      <Fact name="Made">
        <Time at={apiKey.createdAt} />
      </Fact>
      <Fact name="Made by">
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
      </Fact>
      <Fact name="Last used">
        <Time at={apiKey.lastUsedAt} />
      </Fact>
      <Fact name="From">{apiKey.lastUsedIp}</Fact>
      <Fact name="Program">{apiKey.lastUsedUserAgent}</Fact>
      <Fact name="Operation" wide>
        {apiKey.lastUsedOperation && <span className="mono">{apiKey.lastUsedOperation}</span>}
      </Fact>
      <Fact name="ID" wide>
        <span className="mono">{apiKey.id}</span>
      </Fact>
    </Facts>
  )
}
