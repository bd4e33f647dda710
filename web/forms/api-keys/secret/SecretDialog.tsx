import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import type { GeneratedKey } from '../../../api/api-keys.ts'
import { keysHeldQuery } from '../../../api/keys-held.ts'
import { whatItMay } from '../../../components/key-access.ts'
import { ShownOnce } from '../../../ui/ShownOnce.tsx'
import { CopyText } from './CopyText.tsx'
import { FirstCall } from './FirstCall.tsx'
import { asCurl, asEnvLine, firstCallOf } from './forms-of-secret.ts'
import { stateInWords } from './refused-until.ts'

interface SecretDialogProps {
  slug: string
  generated: GeneratedKey
  /** What else there is to know. */
  message?: string | undefined
  onStored: () => void
  returnTo: RefObject<HTMLElement | null>
}

const NOT_ACCEPTED_YET =
  'is generated, but not accepted yet: all API keys are held until the operator of the portal decides.'

/** Shows the secret of a key, once (K4, C8). */
export default function SecretDialog({ slug, generated, message, onStored, returnTo }: SecretDialogProps) {
  const { secret, apiKey } = generated
  const { data: heldSince } = useQuery(keysHeldQuery(slug))
  return (
    <ShownOnce
      title="Your new key"
      status={<FirstCall slug={slug} apiKey={apiKey} />}
      ifLeft="The key stays active until it is revoked."
      onStored={onStored}
      returnTo={returnTo}
    >
      <Text>
        <b>{apiKey.label}</b> {heldSince ? NOT_ACCEPTED_YET : stateInWords(apiKey)} Store its secret now: it is shown
        only once. Treat it like a password, and keep it out of source control.{message && ` ${message}`}
      </Text>
      <Text fw={600}>{whatItMay(apiKey)}</Text>
      <CopyText label="Secret" action="Copy secret" value={secret} autoFocus />
      <CopyText label=".env line" action="Copy .env line" value={asEnvLine(secret)} />
      <CopyText label="curl" action="Copy curl" value={asCurl(secret, window.location.origin, firstCallOf(apiKey))} />
    </ShownOnce>
  )
}
