import { Group, Loader, Tabs, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect } from 'react'
import { firstCallQuery } from '../../../api/api-key.ts'
import { type GeneratedKey, keysHeldQuery } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { whatItMay } from '../../../components/key-access.ts'
import { ShownOnce } from '../../../ui/ShownOnce.tsx'
import { Time } from '../../../ui/Time.tsx'
import { CopyText } from './CopyText.tsx'
import { type SecretSample, secretSamples } from './secret-samples.ts'

interface SecretDialogProps {
  slug: string
  generated: GeneratedKey
  /** What else there is to know. */
  message?: string | undefined
  onStored: () => void
  returnTo: RefObject<HTMLElement | null>
  /** Where the new key is listed: it gets the focus. */
  rowOf?: (id: string) => HTMLElement | null | undefined
}

const NOT_ACCEPTED_YET =
  'was generated, but is not accepted yet: all API keys are held until the portal administrator releases them.'

/** Shows the secret of a key, once (K4, C8). */
export default function SecretDialog({ slug, generated, message, onStored, returnTo, rowOf }: SecretDialogProps) {
  const { secret, apiKey } = generated
  const { data: heldSince } = useQuery(keysHeldQuery(slug))
  return (
    <ShownOnce
      title="Your new key"
      status={<FirstCall slug={slug} apiKey={apiKey} />}
      ifLeft="The key stays active until it is revoked."
      onStored={onStored}
      returnTo={returnTo}
      next={() => rowOf?.(apiKey.id)}
    >
      <Text>
        <b>{apiKey.label}</b> {heldSince ? NOT_ACCEPTED_YET : stateInWords(apiKey)} Store its secret now: it is shown
        only once. Treat it like a password: keep it in an environment variable or a secrets manager, never in source
        control.{message && ` ${message}`}
      </Text>
      <Text fw={600}>{whatItMay(apiKey)}</Text>
      <CopyText label="Secret" action="Copy secret" value={secret} isSecret />
      <Samples samples={secretSamples(generated, window.location.origin)} />
    </ShownOnce>
  )
}

/** The first call, one language at a time. */
const Samples = ({ samples }: { samples: readonly SecretSample[] }) => (
  <Tabs defaultValue={samples[0]?.name ?? null} keepMounted={false}>
    <Tabs.List aria-label="Use the key">
      {samples.map(({ name }) => (
        <Tabs.Tab key={name} value={name}>
          {name}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {samples.map(({ name, how, code }) => (
      <Tabs.Panel key={name} value={name} pt="sm">
        <CopyText label={how} action={`Copy ${name}`} value={code} />
      </Tabs.Panel>
    ))}
  </Tabs>
)

/** Waits for the first call with a new key, and says when it came, and from where; or from when on it can come. */
function FirstCall({ slug, apiKey }: { slug: string; apiKey: GeneratedKey['apiKey'] }) {
  const { data: key, error } = useQuery(firstCallQuery(slug, apiKey.id))
  const queryClient = useQueryClient()
  const usedAt = key?.lastUsedAt
  useEffect(() => {
    if (usedAt) void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] }) // the list behind says the same
  }, [queryClient, slug, usedAt])
  const refused = refusedUntil(apiKey)
  const isDisconnected = error instanceof ApiError && error.code === 'NOT_FOUND'
  return (
    <Group role="status" gap="xs" wrap="nowrap">
      {key?.lastUsedAt ? (
        <Text c="var(--success-text)">
          ✓ First call received from {key.lastUsedIp ?? 'an unknown address'}, <Time at={key.lastUsedAt} />
        </Text>
      ) : isDisconnected ? (
        <Text>This key has been revoked.</Text>
      ) : refused ? (
        <Text>{refused}</Text>
      ) : (
        <>
          <Loader size="xs" aria-hidden="true" />
          <Text c="dimmed">Waiting for the first call…</Text>
        </>
      )}
    </Group>
  )
}

type Start = Pick<GeneratedKey['apiKey'], 'notBefore' | 'paused' | 'pausedUntil'>

const inFull = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const momentOf = (moment: string) => inFull.format(new Date(moment))
const isToCome = (moment: string | null) => moment !== null && Date.parse(moment) > Date.now()

/** What follows the label of a new key. */
function stateInWords({ notBefore, paused }: Start): string {
  if (paused) return 'is paused, like the key that it replaces.'
  return notBefore && isToCome(notBefore) ? `is active from ${momentOf(notBefore)}.` : 'is active.'
}

/** Until when a first call with a new key would be refused; undefined when it would be accepted. */
function refusedUntil({ notBefore, paused, pausedUntil }: Start): string | undefined {
  if (paused && pausedUntil === null) return 'Calls are refused until the key is resumed.'
  if (paused && isToCome(pausedUntil)) return `Calls are refused until the key resumes, ${momentOf(pausedUntil ?? '')}.`
  return notBefore && isToCome(notBefore) ? `Calls are refused until ${momentOf(notBefore)}.` : undefined
}
