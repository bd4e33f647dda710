import { Button, Code, Text } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ApiError } from '../api/client.ts'
import { paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { Page } from './Page.tsx'
import { PageMissing } from './PageMissing.tsx'

/** In place of a page that could not be shown. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return <PageMissing />
  const refused = error instanceof ApiError && error.code === 'FORBIDDEN'
  const again = async () => {
    await router.invalidate()
    reset()
  }
  return (
    <Page title={refused ? 'Not for you' : 'Something went wrong'}>
      <Empty
        title={refused ? 'This page is for Admins' : 'This page could not be shown'}
        action={
          refused ? (
            <Button component="a" href={paths.home()} variant="default">
              Go to the start
            </Button>
          ) : (
            <Button onClick={again}>Try again</Button>
          )
        }
      >
        {error instanceof ApiError ? error.message : 'There is a mistake in the page itself.'}
        {error instanceof ApiError && error.requestId && (
          <Text size="sm" mt="xs">
            Request <Code>{error.requestId}</Code>
          </Text>
        )}
      </Empty>
    </Page>
  )
}
