import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** An empty state: what would be here, and how to add it. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" maw="var(--width-text)">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}
