import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'

/** Leads to what the key did. */
export const KeyChanges = ({ slug, id }: { slug: string; id: string }) => (
  <Section
    title="Changes"
    message="What this key, and the keys that it created, have changed: with the values before and after."
  >
    <Anchor component={Link} to={paths.apiKeyChanges(slug, id)} underline="always">
      Show changes
    </Anchor>
  </Section>
)
