import { Anchor, Button, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { setApiKeysEnabled } from '../../api/organization.ts'
import type { KeysOverview } from '../../api/overview.ts'
import type { Viewer } from '../../api/viewer.ts'
import { countKeys } from '../../components/key-activity.ts'
import { Section } from '../../components/Section.tsx'
import { keysOf, paths } from '../../paths.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { UsageHistory } from '../../ui/UsageHistory.tsx'
import { inWords } from '../../ui/usage-window.ts'
import { StatLink } from './DevicesSummary.tsx'
import styles from './overview.module.css'

const DAYS = 30

interface KeysSummaryProps {
  organization: Viewer['organization']
  keys: KeysOverview
  /** Beside the checklist, which has the primary button. */
  isSecond: boolean
}

/** The keys of the organization, and what is done with them. */
export function KeysSummary({ organization, keys, isSecond }: KeysSummaryProps) {
  const panel = keysOf(organization)
  if (!organization.apiKeysEnabled) {
    return (
      <Section title="API keys">
        <Text mb="sm">
          API keys are off: nobody can generate a key.
          {keys.active > 0 && (
            <>
              {' '}
              <Anchor component={Link} to={panel} underline="always">
                {countKeys(keys.active)} {keys.active === 1 ? 'is' : 'are'} still active
              </Anchor>
              .
            </>
          )}
        </Text>
        <SwitchOnKeys slug={organization.slug} isSecond={isSecond} />
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
          note="Refused soon"
        />
        <StatLink label="Paused" count={keys.paused} to={panel} search={{ state: 'paused' }} note="Refused for now" />
        {keys.expired > 0 && (
          <StatLink label="Expired" count={keys.expired} to={panel} search={{ state: 'expired' }} note="Refused" />
        )}
      </div>
      {keys.usage ? (
        <div className={styles['usage']}>
          <UsageHistory
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

interface BusiestKeysProps {
  slug: string
  busiest: NonNullable<KeysOverview['usage']>['busiest']
}

/** The keys with the most calls, each with a bar of its share. */
function BusiestKeys({ slug, busiest }: BusiestKeysProps) {
  const id = useId()
  const most = Math.max(1, ...busiest.map(({ calls }) => calls))
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="sm" id={id}>
        Busiest keys
      </Title>
      {busiest.length === 0 && (
        <Text size="sm" c="dimmed">
          No key was used in the last 30 days.
        </Text>
      )}
      <ol className="plain-list">
        {busiest.map(({ apiKey, calls, errors }) => (
          <li key={apiKey.id} className={styles['busy']}>
            <Anchor component={Link} to={paths.apiKey(slug, apiKey.id)} size="sm" truncate>
              {apiKey.label}
            </Anchor>
            <Text component="span" size="sm" c="dimmed" className="nowrap">
              {inWords(calls, errors)}
            </Text>
            <span className={styles['bar']} aria-hidden="true">
              <span style={{ width: `${(calls / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Switches API keys on, where one stands; second: beside what does more. */
export function SwitchOnKeys({ slug, isSecond }: { slug: string; isSecond: boolean }) {
  const queryClient = useQueryClient()
  const [pending, setPending] = useState(false)
  const switchOn = async () => {
    setPending(true)
    try {
      await setApiKeysEnabled(slug, true)
      notifyDone('API keys are switched on.')
      await Promise.all(
        [['viewer'], ['api-keys', slug], ['overview', slug]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      setPending(false)
    }
  }
  return (
    <Button onClick={switchOn} loading={pending} variant={isSecond ? 'default' : 'filled'}>
      Switch on API keys
    </Button>
  )
}
