import { Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: string
  /** One sentence below the title. */
  message?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A part of a page with a name of its own. */
export function Section({ title, message, action, children }: SectionProps) {
  const id = useId()
  return (
    <Paper component="section" withBorder p="lg" aria-labelledby={id}>
      <Group justify="space-between" mb="md" gap="xs">
        <div>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {message && (
            <Text size="sm" c="dimmed">
              {message}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Paper>
  )
}
