import { Text } from '@mantine/core'
import type { RefObject } from 'react'
import type { CreatedWebhook } from '../../api/webhook-changes.ts'
import { bothUntil, webhookName } from '../../components/webhook-events.ts'
import { ShownOnce } from '../../ui/ShownOnce.tsx'
import { CopyText } from '../api-keys/secret/CopyText.tsx'

interface WebhookSecretProps {
  created: CreatedWebhook
  /** Whether it takes the place of another one. */
  isRotated?: boolean
  onStored: () => void
  returnTo: RefObject<HTMLElement | null>
}

/** Shows the secret that a webhook is signed with, once. */
export default function WebhookSecret({ created, isRotated = false, onStored, returnTo }: WebhookSecretProps) {
  const { webhook, secret } = created
  return (
    <ShownOnce
      title={isRotated ? 'Your new signing secret' : 'Your signing secret'}
      ifLeft="You can rotate it to get another one."
      onStored={onStored}
      returnTo={returnTo}
    >
      <Text>
        Every delivery to <b>{webhookName(webhook)}</b> is signed with this secret. Give it to the receiver, which
        checks the signature with it. Store it now: it is shown only once. Treat it like a password, and keep it out of
        source control.
      </Text>
      {isRotated && <Text fw={600}>{bothUntil(webhook.secretRotatesAt)}</Text>}
      <CopyText label="Secret" action="Copy secret" value={secret} isSecret />
      <CopyText label=".env line" action="Copy .env line" value={`WEBHOOK_SECRET=${secret}`} />
    </ShownOnce>
  )
}
