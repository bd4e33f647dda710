import { Button } from '@mantine/core'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { usePause } from './use-pause.ts'

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
