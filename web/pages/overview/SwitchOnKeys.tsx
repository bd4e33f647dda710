import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { setApiKeysEnabled } from '../../api/organization.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'

/** Switches API keys on, where one stands. */
export function SwitchOnKeys({ slug }: { slug: string }) {
  const queryClient = useQueryClient()
  const [pending, setPending] = useState(false)
  const switchOn = async () => {
    setPending(true)
    try {
      await setApiKeysEnabled(slug, true)
      notifyDone('API keys are switched on.')
      await Promise.all(
        [['viewer'], ['api-keys', slug], ['overview', slug]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      setPending(false)
    }
  }
  return (
    <Button onClick={switchOn} loading={pending}>
      Switch on API keys
    </Button>
  )
}
