import { Anchor, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { overviewQuery, type RecentEvent } from '../api/overview.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { KeysHeld } from '../components/KeysHeld.tsx'
import { Page } from '../components/Page.tsx'
import { Section } from '../components/Section.tsx'
import { paths } from '../paths.ts'
import { Time } from '../ui/Time.tsx'
import { actorInWords, inWords } from './audit/words.ts'
import { Checklist } from './overview/Checklist.tsx'
import { DevicesSummary } from './overview/DevicesSummary.tsx'
import { KeysSummary } from './overview/KeysSummary.tsx'
import { NeedsAttention } from './overview/NeedsAttention.tsx'
import styles from './overview/overview.module.css'
import { stepsDone, useChecklist } from './overview/use-checklist.ts'

/** The first page after signing in: the organization at a glance. */
export function OverviewPage() {
  const { slug } = useParams({ from: '/signed-in/$slug/overview' })
  return <Overview key={slug} slug={slug} viewer={useViewer()} />
}

/** While there is a checklist, what is still empty is left out: the checklist says how to begin. */
function Overview({ slug, viewer }: { slug: string; viewer: Viewer }) {
  const { data } = useSuspenseQuery(overviewQuery(slug))
  const { organization, user } = viewer
  const isAdmin = viewer.role === 'ADMIN'
  const checklist = useChecklist(user?.id ?? '', organization.id, stepsDone(viewer, data))
  const isBeginning = isAdmin && !checklist.isOver
  const { attention, devices, apiKeys, auditEvents } = data
  return (
    <Page title="Overview" of={organization.name}>
      {isAdmin && <KeysHeld slug={slug} />}
      <Stack gap="lg">
        {isAdmin && <Checklist slug={slug} checklist={checklist} />}
        {!(isBeginning && attention.length === 0) && (
          <NeedsAttention organization={organization} attention={attention} />
        )}
        {!(isBeginning && devices.total === 0) && <DevicesSummary slug={slug} counts={devices} isAdmin={isAdmin} />}
        {apiKeys && !(isBeginning && apiKeys.active + apiKeys.expired === 0) && (
          <KeysSummary organization={organization} keys={apiKeys} isSecond={isBeginning} />
        )}
        {auditEvents && <RecentEvents slug={slug} events={auditEvents} />}
      </Stack>
    </Page>
  )
}

/** What happened last, a line each. */
function RecentEvents({ slug, events }: { slug: string; events: readonly RecentEvent[] }) {
  return (
    <Section
      title="Recent events"
      action={
        <Anchor component={Link} to={paths.audit(slug)} size="sm">
          View audit log
        </Anchor>
      }
    >
      {events.length === 0 && <Text>Nothing has happened yet.</Text>}
      <ul className="plain-list" aria-label="Recent events">
        {events.map((event) => {
          const { message, subject, isImpersonal } = inWords(event)
          return (
            <li key={event.id} className={styles['event']}>
              <Text size="sm">
                {!isImpersonal && <strong>{actorInWords(event.actor)}</strong>} {message}{' '}
                {subject && <strong>{subject}</strong>}
              </Text>
              <Text size="sm" c="dimmed">
                <Time at={event.at} />
              </Text>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
