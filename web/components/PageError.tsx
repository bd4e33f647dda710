import { Button, Text } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api/client.ts'
import { isReachable } from '../api/reach.ts'
import { paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { RequestId } from '../ui/Trouble.tsx'
import { Page } from './Page.tsx'
import { PageLoading } from './PageLoading.tsx'
import { PageMissing } from './PageMissing.tsx'

/** In place of a page that could not be shown. */
export function PageError({ error }: ErrorComponentProps) {
  const code = error instanceof ApiError ? error.code : 'BUG'
  if (code === 'UNAUTHENTICATED') return <PageLoading /> // on the way to the sign-in
  if (code === 'NOT_FOUND') return <PageMissing />
  if (code === 'FORBIDDEN') return <PageRefused words={wordsOf(error)} />
  return (
    <Page title="Something went wrong">
      <Empty title={headings[code] ?? 'This page could not be shown'} action={<TryAgain />}>
        {wordsOf(error)}
        {error instanceof ApiError && <RequestId error={error} />}
      </Empty>
    </Page>
  )
}

const wordsOf = (error: unknown) =>
  error instanceof ApiError ? error.message : 'There is a mistake in the page itself. Reload it to go on.'

const headings: Record<string, string> = {
  OFFLINE: 'No connection',
  UNAVAILABLE: 'The portal is busy',
  RATE_LIMITED: 'Too many requests',
  LIMIT_EXCEEDED: 'A limit has been reached',
  UNREADABLE: 'No answer that can be read',
}

/** Loads everything anew, once there is somebody to answer: until then what is here stays. */
function TryAgain() {
  const [state, setState] = useState<'idle' | 'trying' | 'in vain'>('idle')
  const again = async () => {
    setState('trying')
    if (await isReachable()) window.location.reload()
    else setState('in vain')
  }
  return (
    <>
      <Button onClick={again} loading={state === 'trying'}>
        Try again
      </Button>
      <Text role="status">{state === 'in vain' && 'Still no connection.'}</Text>
    </>
  )
}

function PageRefused({ words }: { words: string }) {
  return (
    <Page title="Not for you">
      <Empty
        title="This page is for Admins"
        action={
          <Button component="a" href={paths.home()} variant="default">
            Go to the start
          </Button>
        }
      >
        {words}
      </Empty>
    </Page>
  )
}
