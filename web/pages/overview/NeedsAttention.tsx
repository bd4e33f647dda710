import { Anchor, Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { apiKeyQuery, type KeyOfPage } from '../../api/api-key.ts'
import type { KeyAccess } from '../../api/key-restrictions.ts'
import type { Attention } from '../../api/overview.ts'
import type { Viewer } from '../../api/viewer.ts'
import { ACCESSES } from '../../components/key-access.ts'
import { Section } from '../../components/Section.tsx'
import { webhookName } from '../../components/webhook-events.ts'
import { NarrowAccess } from '../../forms/api-keys/dialogs.ts'
import { keysOf, paths } from '../../paths.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconAlertTriangle, IconInfoCircle } from '../../ui/icons/icons.ts'
import { notifyError } from '../../ui/notify.ts'
import { Time } from '../../ui/Time.tsx'
import styles from './NeedsAttention.module.css'

interface NeedsAttentionProps {
  organization: Viewer['organization']
  attention: readonly Attention[]
}

/** What somebody should look at, the most urgent first, with the way to it. */
export function NeedsAttention({ organization, attention }: NeedsAttentionProps) {
  const heading = useRef<HTMLUListElement>(null)
  if (attention.length === 0) return <Text c="dimmed">Nothing needs attention.</Text>
  return (
    <Section title="Needs attention">
      <ul className="plain-list" aria-label="Needs attention" ref={heading} tabIndex={-1}>
        {attention.map((entry) => (
          <li key={entry.kind} className={styles['entry']} data-level={LEVELS[entry.kind] ?? 'warning'}>
            <Icon of={LEVELS[entry.kind] === 'neutral' ? IconInfoCircle : IconAlertTriangle} />
            <Text fw={500}>{titleOf(entry, organization)}</Text>
            <Items entry={entry} slug={organization.slug} returnTo={heading} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** What stops something, and what can wait; anything else is a warning. */
const LEVELS: Partial<Record<Attention['kind'], 'danger' | 'neutral'>> = {
  API_KEY_REFUSED: 'danger',
  BACKUP_FAILED: 'danger',
  DATABASE_NEWER: 'danger',
  API_KEY_UNUSED: 'neutral',
}

/** What it is, and where all of it can be seen. */
function titleOf({ kind, count, since }: Attention, organization: Viewer['organization']): ReactNode {
  const keys = (state: string, words: string) => (
    <Anchor component={Link} to={keysOf(organization)} inherit search={{ state } as never}>
      {counted(count, 'key')} {words}
    </Anchor>
  )
  switch (kind) {
    case 'API_KEY_REFUSED':
      return `${counted(count, 'key')} ${count === 1 ? 'has' : 'have'} many refused calls`
    case 'API_KEY_EXPIRING':
      return keys('expiring', count === 1 ? 'expires soon' : 'expire soon')
    case 'API_KEY_TOO_BROAD':
      return `${counted(count, 'key')} can do more than ${count === 1 ? 'it needs' : 'they need'}`
    case 'API_KEY_UNUSED':
      return keys('unused', count === 1 ? 'is unused' : 'are unused')
    case 'DEVICE_OFFLINE':
      return (
        <Anchor component={Link} to={paths.devices(organization.slug)} inherit search={{ status: 'OFFLINE' } as never}>
          {counted(count, 'device')} offline for more than a day
        </Anchor>
      )
    case 'WEBHOOK_PAUSED':
      return `${counted(count, 'webhook')} paused, as ${count === 1 ? 'it' : 'they'} cannot be reached`
    case 'BACKUP_FAILED':
      return (
        <>
          Scheduled backups fail. Last verified backup: <Time at={since} never="none" />
        </>
      )
    case 'BACKUP_MISSING':
      return 'No backups are scheduled: set BACKUP_DIR'
    case 'DATABASE_NEWER':
      return 'The database is newer than this process: finish the upgrade of the portal'
  }
}

const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`

interface ItemsProps {
  entry: Attention
  slug: string
  returnTo: RefObject<HTMLElement | null>
}

/** The first of them, each with what can be done about it. */
function Items({ entry: { kind, apiKeys, devices, webhooks }, slug, returnTo }: ItemsProps) {
  return (
    <ul className={`plain-list ${styles['items']}`}>
      {apiKeys.map(({ apiKey, refusedCalls, suggestedAccess }) => (
        <Item key={apiKey.id} to={paths.apiKey(slug, apiKey.id)} name={apiKey.label}>
          {refusedCalls !== null && `${counted(refusedCalls, 'call')} refused since yesterday`}
          {kind === 'API_KEY_EXPIRING' && <Time at={apiKey.expiresAt} />}
          {suggestedAccess && <Narrow slug={slug} id={apiKey.id} access={suggestedAccess} returnTo={returnTo} />}
        </Item>
      ))}
      {devices.map(({ id, name, lastSeenAt }) => (
        <Item key={id} to={paths.device(slug, id)} name={name}>
          <Time at={lastSeenAt} />
        </Item>
      ))}
      {webhooks.map((webhook) => (
        <Item key={webhook.id} to={paths.webhook(slug, webhook.id)} name={webhookName(webhook)} />
      ))}
    </ul>
  )
}

const Item = ({ to, name, children }: { to: string; name: string; children?: ReactNode }) => (
  <li className={styles['item']}>
    <Anchor component={Link} to={to} size="sm" className="ellipsis">
      {name}
    </Anchor>
    <Text component="span" size="sm" c="dimmed">
      {children}
    </Text>
  </li>
)

interface NarrowProps {
  slug: string
  id: string
  access: KeyAccess
  returnTo: RefObject<HTMLElement | null>
}

/** One click leads to the question with what the key would lose. */
function Narrow({ slug, id, access, returnTo }: NarrowProps) {
  const queryClient = useQueryClient()
  const [apiKey, setApiKey] = useState<KeyOfPage>()
  const [pending, setPending] = useState(false)
  const open = async () => {
    setPending(true)
    try {
      setApiKey((await queryClient.fetchQuery(apiKeyQuery(slug, id))) ?? undefined)
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      setPending(false)
    }
  }
  const close = () => {
    setApiKey(undefined)
    void queryClient.invalidateQueries({ queryKey: ['overview', slug] })
  }
  return (
    <>
      <Button variant="default" size="compact-sm" loading={pending} onClick={open}>
        Narrow to {ACCESSES[access].name}
      </Button>
      <Suspense>
        {apiKey && <NarrowAccess slug={slug} apiKey={apiKey} access={access} onClose={close} returnTo={returnTo} />}
      </Suspense>
    </>
  )
}
