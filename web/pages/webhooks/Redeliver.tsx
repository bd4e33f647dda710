import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Delivery, redeliverWebhook } from '../../api/webhook-deliveries.ts'
import { typeOf } from '../../components/webhook-events.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'

interface RedeliverProps {
  slug: string
  delivery: Delivery
}

/** Sends an event once more, with the same id and payload; the log follows. Never disabled: it would lose the focus. */
export function Redeliver({ slug, delivery: { id, event } }: RedeliverProps) {
  const queryClient = useQueryClient()
  const [pending, setPending] = useState(false)
  const redeliver = async () => {
    if (pending) return
    setPending(true)
    try {
      await redeliverWebhook(slug, id)
      notifyDone('The event is sent again.')
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['webhooks', slug] })
      setPending(false)
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      data-loading={pending || undefined}
      aria-disabled={pending}
      onClick={redeliver}
      aria-label={`Redeliver ${typeOf(event)}`}
    >
      Redeliver
    </Button>
  )
}
