import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import styles from './Section.module.css'

interface SectionProps {
  title: string
  /** One sentence below the title. */
  message?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** The sections of a page, each beside its title where there is room. */
export const Sections = ({ children }: { children: ReactNode }) => (
  <Stack gap="xl" className={styles['sections'] ?? ''}>
    {children}
  </Stack>
)

/** A part of a page with a name of its own. */
export function Section({ title, message, action, children }: SectionProps) {
  const id = useId()
  return (
    <section className={styles['section']} aria-labelledby={id}>
      <div className={styles['head']}>
        <div>
          <Title order={2} size="h3" id={id}>
            {title}
          </Title>
          {message && (
            <Text size="sm" c="dimmed">
              {message}
            </Text>
          )}
        </div>
        {action}
      </div>
      <div className={styles['body']}>{children}</div>
    </section>
  )
}
