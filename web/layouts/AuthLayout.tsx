import { Center, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** The layout of pages that need no sign-in. */
export function AuthLayout({ title, children, below }: { title: string; children: ReactNode; below?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Edge Management Portal`
  }, [title])
  return (
    <Center component="main" id="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="md">
        <Stack gap={4} align="center">
          <img src="/icon.svg" alt="" width={44} height={44} />
          <Text c="dimmed">Edge Management Portal</Text>
        </Stack>
        <Paper withBorder p="lg">
          <Title order={1} size="h3" mb="md">
            {title}
          </Title>
          {children}
        </Paper>
        {below && (
          <Text ta="center" size="sm">
            {below}
          </Text>
        )}
      </Stack>
    </Center>
  )
}
