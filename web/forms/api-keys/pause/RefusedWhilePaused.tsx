import { useQuery } from '@tanstack/react-query'
import { pausedKeyQuery, type RefusedWhilePaused as Refused } from '../../../api/paused-key.ts'
import { browserName } from '../../../ui/browser-name.ts'
import { Time } from '../../../ui/Time.tsx'

const NAMED = 3

/** Of a paused key: who paused it, and who was refused meanwhile: what would stop if it were revoked. */
export default function RefusedWhilePaused({ slug, id }: { slug: string; id: string }) {
  const { data: key } = useQuery(pausedKeyQuery(slug, id))
  if (!key?.pausedAt) return null
  const { pausedAt, pausedBy, refusedWhilePaused: refused } = key
  return (
    <span>
      Paused {pausedBy && `by ${pausedBy.kind === 'API_KEY' ? 'key ' : ''}${pausedBy.name} `}
      <Time at={pausedAt} />.{' '}
      {refused && refused.calls > 0 ? <Calls refused={refused} /> : 'No call was refused since.'}
    </span>
  )
}

function Calls({ refused: { calls, lastAt, addresses, userAgents } }: { refused: Refused }) {
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
