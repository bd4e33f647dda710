import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeysOverview } from '../../api/overview.ts'
import type { Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { keysOf } from '../../paths.ts'
import { LazyUsageHistory } from '../../ui/LazyUsageHistory.tsx'
import { BusiestKeys } from './BusiestKeys.tsx'
import styles from './overview.module.css'
import { StatLink } from './StatLink.tsx'
import { SwitchOnKeys } from './SwitchOnKeys.tsx'

const DAYS = 30

interface KeysSummaryProps {
  organization: Viewer['organization']
  keys: KeysOverview
}

/** The keys of the organization, and what is done with them. */
export function KeysSummary({ organization, keys }: KeysSummaryProps) {
  const panel = keysOf(organization)
  if (!organization.apiKeysEnabled) {
    return (
      <Section title="API keys">
        <Text mb="sm">
          API keys are switched off: nobody can generate a key.
          {keys.active > 0 && (
            <>
              {' '}
              <Anchor component={Link} to={panel} underline="always">
                {keys.active === 1 ? '1 key is still active' : `${keys.active} keys are still active`}
              </Anchor>
              .
            </>
          )}
        </Text>
        <SwitchOnKeys slug={organization.slug} />
      </Section>
    )
  }
  return (
    <Section
      title="API keys"
      action={
        <Anchor component={Link} to={panel} size="sm">
          View all keys
        </Anchor>
      }
    >
      <div className={styles['stats']}>
        <StatLink label="Active" count={keys.active} to={panel} search={{ state: 'active' }} note="Not expired" />
        <StatLink
          label="Unused"
          count={keys.unused}
          to={panel}
          search={{ state: 'unused' }}
          note="No call in 90 days"
        />
        <StatLink
          label="Expiring"
          count={keys.expiring}
          to={panel}
          search={{ state: 'expiring' }}
          note="Within 30 days"
        />
        <StatLink label="Paused" count={keys.paused} to={panel} search={{ state: 'paused' }} note="Refused for now" />
        {keys.expired > 0 && (
          <StatLink label="Expired" count={keys.expired} to={panel} search={{ state: 'expired' }} note="Refused" />
        )}
      </div>
      {keys.usage ? (
        <div className={styles['usage']}>
          <LazyUsageHistory
            title="Calls by day"
            rows={keys.usage.days}
            window={{ unit: 'DAY', count: DAYS, now: Date.now() }}
          />
          <BusiestKeys slug={organization.slug} busiest={keys.usage.busiest} />
        </div>
      ) : (
        <Text c="dimmed" mt="md">
          The calls of all keys are being added up.
        </Text>
      )}
    </Section>
  )
}
