import { Button, Group, Loader, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { type Delivery, deliveryQuery, isUnderWay, testWebhook } from '../../api/webhook-deliveries.ts'
import { Section } from '../../components/Section.tsx'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'

/** Sends a test event, and says in place what came of it. Its button is never disabled: it would lose the focus. */
export function TestEvent({ slug, id }: { slug: string; id: string }) {
  const queryClient = useQueryClient()
  const [sent, setSent] = useState<Delivery>()
  const [error, setError] = useState<ApiError>()
  const [pending, setPending] = useState(false)

  const send = async () => {
    if (pending) return
    setPending(true)
    setError(undefined)
    setSent(undefined)
    try {
      setSent(await testWebhook(slug, id))
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      setError(thrown)
    } finally {
      setPending(false)
      void queryClient.invalidateQueries({ queryKey: ['webhooks', slug] })
    }
  }
  return (
    <Section
      title="Test"
      message="Sends an event of the type test, signed like any other."
      action={
        <Button variant="default" data-loading={pending || undefined} aria-disabled={pending} onClick={send}>
          Send test event
        </Button>
      }
    >
      <div role="status">
        {sent && <Outcome key={sent.id} slug={slug} id={id} sent={sent} />}
        {!sent && !error && !pending && (
          <Text size="sm" c="dimmed">
            No test sent yet.
          </Text>
        )}
      </div>
      {error && <ErrorAlert error={error} />}
    </Section>
  )
}

function Outcome({ slug, id, sent }: { slug: string; id: string; sent: Delivery }) {
  const { data: delivery } = useQuery(deliveryQuery(slug, id, sent))
  const queryClient = useQueryClient()
  const { state, responseStatus, error } = delivery
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log below follows when the state has changed
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['webhooks', slug, 'deliveries', id] })
  }, [state])
  if (state === 'DELIVERED')
    return <Text c="var(--success-text)">✓ Delivered: the receiver answered with status {responseStatus}.</Text>
  if (isUnderWay(delivery)) {
    return (
      <Group gap="xs" wrap="nowrap">
        <Loader size="xs" aria-hidden="true" />
        <Text c="dimmed">Sending…</Text>
      </Group>
    )
  }
  return <Text c="var(--danger-text)">Not delivered. {error}</Text>
}
