import { Container, Group, Text, Title } from '@mantine/core'
import { useParams, useRouter } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

interface PageProps {
  title: string
  /** Where the page belongs, for the title of the window. */
  of?: string
  /** The way back to the list that the page belongs to. */
  back?: ReactNode
  /** Buttons in the page header. */
  actions?: ReactNode
  children: ReactNode
}

/** One page: its heading, its buttons, its title in the window. */
export function Page({ title, of, back, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(of ? `${title} · ${of}` : title)
  useArrival(heading)
  return (
    <Container size="xl" py="lg">
      {back && (
        <Text component="nav" aria-label="Back" size="sm" mb="var(--space-1)">
          {back}
        </Text>
      )}
      <Group component="header" justify="space-between" mb="lg" gap="sm">
        <Title ref={heading} tabIndex={-1} order={1} size="h2" className="quiet-focus">
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

/**
 * Whoever comes from another page begins at the heading: by keyboard, and by ear. A first load is the browser's, and
 * nobody is taken out of a dialog that was opened while the page was on its way.
 */
function useArrival(heading: RefObject<HTMLHeadingElement | null>): void {
  const router = useRouter()
  const { slug } = useParams({ strict: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another account is another page
  useEffect(() => {
    const isInDialog = document.activeElement?.closest('[aria-modal="true"]:not([data-in-address])')
    if (router.state.resolvedLocation && !isInDialog) heading.current?.focus({ preventScroll: true })
  }, [router, heading, slug])
}
