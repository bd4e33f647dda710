import { Alert, Anchor, Button, SegmentedControl, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { CreatedWebhook } from '../../api/webhook-changes.ts'
import type { Webhook } from '../../api/webhooks.ts'
import { Section } from '../../components/Section.tsx'
import { bothUntil } from '../../components/webhook-events.ts'
import { documents } from '../../paths.ts'
import { CopyCode } from '../../ui/CopyCode.tsx'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { SAMPLES } from './verify-samples.ts'

const RotateWebhookSecret = lazyDialog(() => import('../../forms/webhooks/RotateWebhookSecret.tsx'))

interface SignatureProps {
  slug: string
  webhook: Webhook
  onRotated: (created: CreatedWebhook) => void
}

/** The secret that deliveries are signed with, and for whoever writes the receiver, how to know that a request is from here. */
export function Signature({ slug, webhook, onRotated }: SignatureProps) {
  const [isRotating, setRotating] = useState(false)
  return (
    <Section
      title="Signature"
      message="Anybody can send a request to your URL. Those from here are signed with the secret of this webhook."
      action={
        <Button variant="default" onClick={() => setRotating(true)}>
          Rotate secret
        </Button>
      }
    >
      {webhook.secretRotatesAt && (
        <Alert role="note" mb="md">
          <strong>The secret is being rotated.</strong> {bothUntil(webhook.secretRotatesAt)}
        </Alert>
      )}
      <HowToVerify />
      <Suspense>
        {isRotating && (
          <RotateWebhookSecret slug={slug} webhook={webhook} onRotated={onRotated} onClose={() => setRotating(false)} />
        )}
      </Suspense>
    </Section>
  )
}

function HowToVerify() {
  const [language, setLanguage] = useState<keyof typeof SAMPLES>('Node')
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="xs"
        aria-label="Language of the sample"
        data={Object.keys(SAMPLES)}
        value={language}
        onChange={(chosen) => setLanguage(chosen === 'Python' ? 'Python' : 'Node')}
      />
      <CopyCode label={`How to verify the signature in ${language}`} value={SAMPLES[language]} />
      <Text size="sm" mt="sm">
        Answer with a status from 200 to 299 as soon as the event is stored: anything else is tried again. The same
        event may arrive more than once, with the same <span className="mono">webhook-id</span>. Libraries for Standard
        Webhooks work too.{' '}
        <Anchor href={documents.webhooks} inherit underline="always">
          More about webhooks
        </Anchor>
      </Text>
    </>
  )
}
