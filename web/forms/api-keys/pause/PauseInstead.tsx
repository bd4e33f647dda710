import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { pauseApiKey } from '../../../api/key-pause.ts'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { notifyDone } from '../../../ui/notify.ts'
import { useConfirming } from '../../../ui/use-confirming.ts'
import { PAUSES } from './pauses.ts'

interface PauseInsteadProps {
  slug: string
  apiKey: { id: string; label: string }
  onPaused: () => void
}

/** In the dialog that revokes a used key: the safe try before it, which can be undone (C15). */
export function PauseInstead({ slug, apiKey, onPaused }: PauseInsteadProps) {
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState(0)
  const { seconds = null, label = '' } = PAUSES[chosen] ?? {}
  const pause = async () => {
    await pauseApiKey(slug, apiKey.id, seconds)
    notifyDone(`“${apiKey.label}” is paused ${label}, not revoked. The list shows who is refused meanwhile.`)
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
  }
  const { pending, error, confirm } = useConfirming(pause, onPaused)
  return (
    <>
      <Group gap="xs">
        <Text size="sm" flex="1 1 12rem">
          Not sure? Pause it, and see who is refused.
        </Text>
        <NativeSelect
          aria-label="Pause"
          size="xs"
          value={chosen}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
          data={PAUSES.map(({ label }, index) => ({ value: String(index), label: `Pause ${label}` }))}
        />
        <Button variant="default" size="xs" loading={pending} onClick={confirm}>
          Pause instead
        </Button>
      </Group>
      {error && <ErrorAlert error={error} />}
    </>
  )
}
