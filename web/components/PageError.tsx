import { Button, Container, Skeleton, Stack, Text } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiError, isPassing } from '../api/client.ts'
import { OUTDATED } from '../api/not-loaded.ts'
import { isReachable, isReady } from '../api/reach.ts'
import { paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { RequestId } from '../ui/ErrorAlert.tsx'
import { Page } from './Page.tsx'

/** Shown instead of a page that failed. */
export function PageError({ error }: ErrorComponentProps) {
  const code = error instanceof ApiError ? error.code : 'BUG'
  if (code === 'UNAUTHENTICATED') return <PageLoading /> // about to be redirected to the sign-in page
  if (code === 'NOT_FOUND' || code === 'NO_ORGANIZATION') return <PageMissing />
  if (code === 'FORBIDDEN') return <PageRefused words={messageOf(error)} />
  return (
    <Page title={code === 'OFFLINE' ? unreachable() : 'Something went wrong'}>
      <Empty title={headings[code] ?? 'This page could not be shown'} action={<TryAgain error={error} />}>
        {messageOf(error)}
        {error instanceof ApiError && <RequestId error={error} />}
      </Empty>
    </Page>
  )
}

function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'This page has an error. Reload it to continue.'
  return error.code === 'OUTDATED' ? OUTDATED : error.message
}

const unreachable = () => (navigator.onLine ? 'Can’t reach the portal' : 'You’re offline')

const headings: Record<string, string> = {
  OFFLINE: 'Retrying…',
  OUTDATED: 'Not loaded',
  UNAVAILABLE: 'The portal is busy',
  RATE_LIMITED: 'Too many requests',
  LIMIT_EXCEEDED: 'A limit has been reached',
  UNREADABLE: 'Unexpected response',
}

const SECOND_MS = 1_000
const CHECK_EVERY_MS = 5 * SECOND_MS

/** Reloads the page once the portal responds: on a click, and by itself after an outage. Until then the page stays as it is. */
function TryAgain({ error }: { error: unknown }) {
  const [state, setState] = useState<'idle' | 'trying' | 'failed'>('idle')
  const waitMs =
    error instanceof Error && isPassing(error)
      ? Math.max(CHECK_EVERY_MS, (error.retryAfterSeconds ?? 0) * SECOND_MS)
      : undefined
  useEffect(() => {
    if (waitMs === undefined) return
    const timer = setInterval(async () => {
      if (await isReady()) window.location.reload()
    }, waitMs)
    return () => clearInterval(timer)
  }, [waitMs])
  const again = async () => {
    setState('trying')
    if (await isReachable()) window.location.reload()
    else setState('failed')
  }
  return (
    <>
      <Button onClick={again} loading={state === 'trying'}>
        Try again
      </Button>
      <Text role="status">{state === 'failed' && 'Still can’t reach the portal.'}</Text>
    </>
  )
}

function PageRefused({ words }: { words: string }) {
  return (
    <Page title="Access denied">
      <Empty
        title="This page is for Admins"
        action={
          <Button component="a" href={paths.home()} variant="default">
            Go to the home page
          </Button>
        }
      >
        {words}
      </Empty>
    </Page>
  )
}

/** Shown while a page loads. */
export function PageLoading() {
  return (
    <Container size="xl" py="lg" role="status" aria-label="Loading">
      <Stack>
        <Skeleton height="var(--control)" width="var(--width-field)" />
        <Skeleton height="var(--row)" />
        <Skeleton height="var(--row)" />
        <Skeleton height="var(--row)" />
      </Stack>
    </Container>
  )
}

/** A missing page and one without access look the same. */
export function PageMissing() {
  return (
    <Page title="Not found">
      <Empty
        title="This page does not exist"
        action={
          <Button component="a" href={paths.home()}>
            Go to the home page
          </Button>
        }
      >
        The address may be wrong, or you may not have access.
      </Empty>
    </Page>
  )
}
