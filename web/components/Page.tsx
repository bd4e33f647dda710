import { Container, Group, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface PageProps {
  title: string
  /** Where the page belongs, for the title of the window. */
  of?: string
  /** Buttons in the page header. */
  actions?: ReactNode
  children: ReactNode
}

/** One page: its heading, its buttons, its title in the window. */
export function Page({ title, of, actions, children }: PageProps) {
  useTitle(of ? `${title} · ${of}` : title)
  return (
    <Container size="xl" py="lg">
      <Group component="header" justify="space-between" mb="lg" gap="sm">
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Container>
  )
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Edge Management Portal`
  }, [title])
}
