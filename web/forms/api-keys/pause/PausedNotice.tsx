import { Alert, Button } from '@mantine/core'
import { Time } from '../../../ui/Time.tsx'
import { usePause } from './use-pause.ts'
import { WhilePaused } from './WhilePaused.tsx'

interface PausedNoticeProps {
  slug: string
  apiKey: { id: string; label: string; paused: boolean; expired: boolean; pausedUntil: string | null }
}

/** On the page of a paused key: until when, who was refused meanwhile, and the way back (C15). */
export function PausedNotice({ slug, apiKey }: PausedNoticeProps) {
  const { resume, pendingId } = usePause(slug)
  if (!apiKey.paused) return null
  return (
    <Alert color="yellow" role="status" mb="md">
      <strong>This key is paused.</strong> Calls with it are refused with 403 API_KEY_PAUSED{' '}
      {apiKey.pausedUntil ? (
        <>
          until it resumes by itself, <Time at={apiKey.pausedUntil} />
        </>
      ) : (
        'until somebody resumes it'
      )}
      . <WhilePaused slug={slug} id={apiKey.id} />
      <Button
        size="compact-sm"
        variant="default"
        display="block"
        mt="xs"
        loading={pendingId === apiKey.id}
        onClick={() => resume(apiKey)}
      >
        Resume now
      </Button>
    </Alert>
  )
}
