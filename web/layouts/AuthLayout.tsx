import { Anchor, Center, Group, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { PageError, PageMissing } from '../components/PageError.tsx'
import { paths } from '../paths.ts'

/** The layout of pages that need no sign-in. */
export function AuthLayout({ title, children, below }: { title: string; children: ReactNode; below?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Edge Management Portal`
  }, [title])
  return (
    <Center component="main" id="main" mih="100dvh" p="md">
      <Stack w="100%" maw="var(--width-narrow)" gap="xl">
        <div>
          <Group gap="xs" mb="xs">
            <img src="/icon.svg" alt="" className="logo" />
            <Text fw={600}>Edge Management Portal</Text>
          </Group>
          <Text size="sm" c="dimmed">
            The devices that you run at the edge, and the API keys of the scripts that work with them, in one place.
          </Text>
        </div>
        <section>
          <Title order={1} size="h2" mb="md">
            {title}
          </Title>
          {children}
        </section>
        {below && (
          <Text size="sm" c="dimmed">
            {below}
          </Text>
        )}
      </Stack>
    </Center>
  )
}

interface ExpiredLinkProps {
  title?: string
  /** Why, and how to get another one. */
  children: ReactNode
  below?: ReactNode
}

/** In place of a page whose link no longer works. */
export const ExpiredLink = ({ title = 'This link has expired', children, below = <ToSignIn /> }: ExpiredLinkProps) => (
  <AuthLayout title={title} below={below}>
    <Text role="alert">{children}</Text>
  </AuthLayout>
)

export const ToSignIn = () => (
  <Anchor component={Link} to={paths.signIn()} inherit underline="always">
    Sign in
  </Anchor>
)

/** The pages for errors and unknown addresses, without the app shell around them. */
export const FramelessError = (props: ErrorComponentProps) => (
  <main id="main">
    <PageError {...props} />
  </main>
)

export const FramelessMissing = () => (
  <main id="main">
    <PageMissing />
  </main>
)
