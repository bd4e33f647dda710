import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DeviceCounts } from '../../api/overview.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'
import { DeviceStatus } from '../devices/DeviceTags.tsx'
import styles from './overview.module.css'

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

interface DevicesSummaryProps {
  slug: string
  counts: DeviceCounts
  isAdmin: boolean
}

/** How many devices are online, and how many are not. */
export function DevicesSummary({ slug, counts, isAdmin }: DevicesSummaryProps) {
  const all = paths.devices(slug)
  const { total, online, offline, neverSeen, countedAt } = counts
  if (total === 0) {
    return (
      <Section title="Devices">
        <Text>
          No devices yet. {isAdmin ? 'Add the first one on the ' : 'Admins of this organization can add them on the '}
          <Anchor component={Link} to={all} underline="always">
            Devices
          </Anchor>{' '}
          page.
        </Text>
      </Section>
    )
  }
  return (
    <Section
      title="Devices"
      message={`${total.toLocaleString()} ${total === 1 ? 'device' : 'devices'}${countedAt ? `, as of ${time.format(new Date(countedAt))}` : ', being counted'}`}
      action={
        <Anchor component={Link} to={all} size="sm">
          View all devices
        </Anchor>
      }
    >
      <div className={styles['stats']}>
        <StatLink
          label={<DeviceStatus status="ONLINE" />}
          count={online}
          to={all}
          search={{ status: 'ONLINE' }}
          note="Checked in within 5 minutes"
        />
        <StatLink
          label={<DeviceStatus status="OFFLINE" />}
          count={offline}
          to={all}
          search={{ status: 'OFFLINE' }}
          note="Last check-in is longer ago"
        />
        <StatLink
          label={<DeviceStatus status="NEVER_SEEN" />}
          count={neverSeen}
          to={all}
          search={{ status: 'NEVER_SEEN' }}
          note="Added, but never checked in"
        />
      </div>
      <Shares counts={counts} />
    </Section>
  )
}

const PARTS = [
  ['online', 'Online'],
  ['offline', 'Offline'],
  ['neverSeen', 'Never seen'],
] as const

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** The numbers of devices as parts of a bar, with their percentages; for the eye alone, since the numbers are above. */
function Shares({ counts }: { counts: DeviceCounts }) {
  const { total } = counts
  if (counts.countedAt === null) return <div className={styles['shares']} aria-hidden="true" />
  return (
    <div className={styles['shares']} aria-hidden="true">
      {PARTS.map(([part, words]) => {
        const count = counts[part] ?? 0
        if (count === 0) return null
        const share = percent.format(count / total)
        return (
          <div
            key={part}
            data-part={part}
            style={{ flexGrow: count }}
            title={`${words}: ${count.toLocaleString()} of ${total.toLocaleString()} (${share})`}
          >
            {count / total > 0.12 && share}
          </div>
        )
      })}
    </div>
  )
}

interface StatLinkProps {
  /** What is counted. */
  label: ReactNode
  /** Null: not counted yet. */
  count: number | null
  to: string
  search?: Record<string, string>
  /** What it means, in a few words. */
  note?: string | undefined
}

/** A number that leads to the list behind it. */
export function StatLink({ label, count, to, search, note }: StatLinkProps) {
  return (
    <Link to={to} search={search as never} className={styles['stat']}>
      <Text component="span" size="sm">
        {label}
      </Text>
      <span className={styles['number']}>{count === null ? '…' : count.toLocaleString()}</span>
      {note && (
        <Text component="span" size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Link>
  )
}
