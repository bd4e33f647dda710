import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pausedKeyQuery, type RefusedCalls } from '../../../api/key-pause.ts'
import { browserName } from '../../../ui/browser-name.ts'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { usePause } from './use-pause.ts'

interface PausedNoticeProps {
  slug: string
  apiKey: { id: string; label: string; paused: boolean; expired: boolean; pausedUntil: string | null }
}

/** On the page of a paused key: until when, who was refused meanwhile, and the way back (C15). */
export function PausedNotice({ slug, apiKey }: PausedNoticeProps) {
  const { resume, pendingId } = usePause(slug)
  if (!apiKey.paused) return null
  return (
    <Alert color="warning" role="status" mb="md">
      <strong>This key is paused.</strong> Calls with it are refused with 403 API_KEY_PAUSED{' '}
      {apiKey.pausedUntil ? (
        <>
          until it resumes by itself, <Time at={apiKey.pausedUntil} />
        </>
      ) : (
        'until somebody resumes it'
      )}
      . <RefusedWhilePaused slug={slug} id={apiKey.id} />
      <Button
        size="compact-sm"
        variant="default"
        display="block"
        mt="xs"
        loading={pendingId === apiKey.id}
        onClick={() => resume(apiKey)}
      >
        Resume now
      </Button>
    </Alert>
  )
}

interface PauseKeyProps {
  slug: string
  apiKey: { id: string; label: string; paused: boolean; expired: boolean }
}

/** The button that pauses a key for as long as is chosen, or resumes it; none for an expired key (C15). */
export function PauseKey({ slug, apiKey }: PauseKeyProps) {
  const { entriesFor, resume, pendingId } = usePause(slug)
  if (apiKey.expired) return null
  const loading = pendingId === apiKey.id
  if (apiKey.paused) {
    return (
      <Button variant="default" loading={loading} onClick={() => resume(apiKey)}>
        Resume
      </Button>
    )
  }
  return (
    <MenuButton
      position="bottom-end"
      button={
        <Button variant="default" loading={loading}>
          Pause
        </Button>
      }
      entries={entriesFor(apiKey).filter((entry) => entry !== 'line')}
    />
  )
}

const NAMED = 3

/** Who paused a key, and who was refused meanwhile: what would stop if it were revoked. */
export function RefusedWhilePaused({ slug, id }: { slug: string; id: string }) {
  const { data: key } = useQuery(pausedKeyQuery(slug, id))
  if (!key) return 'Paused…'
  if (!key.pausedAt) return null
  const { pausedAt, pausedBy, refusedWhilePaused: refused } = key
  return (
    <span>
      Paused <Time at={pausedAt} />
      {pausedBy && ` by ${pausedBy.kind === 'API_KEY' ? 'key ' : ''}${pausedBy.name}`}.{' '}
      {refused && refused.calls > 0 ? <Calls refused={refused} /> : 'No calls refused yet.'}
    </span>
  )
}

function Calls({ refused: { calls, lastAt, addresses, userAgents } }: { refused: RefusedCalls }) {
  const from = named(addresses.map(({ value }) => value))
  const by = named(userAgents.map(({ value }) => value && browserName(value)))
  return (
    <>
      <b>{calls === 1 ? '1 call was refused since' : `${calls.toLocaleString()} calls were refused since`}</b>
      {lastAt && (
        <>
          , the last <Time at={lastAt} />
        </>
      )}
      {from && `, from ${from}`}
      {by && `, by ${by}`}.
    </>
  )
}

function named(values: readonly (string | null)[]): string {
  const known = [...new Set(values.filter((value) => value !== null))]
  const others = known.length - NAMED
  return `${known.slice(0, NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
