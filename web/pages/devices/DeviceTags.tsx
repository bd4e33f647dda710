import { Group, Text } from '@mantine/core'
import { LinkBadge } from './links.tsx'

/** The tags of a device; each leads to the devices that have it. */
export function DeviceTags({ slug, tags, shown = tags.length }: { slug: string; tags: string[]; shown?: number }) {
  const hidden = tags.slice(shown)
  return (
    <Group gap={6}>
      {tags.slice(0, shown).map((tag) => (
        <LinkBadge
          key={tag}
          to="/$slug/devices"
          params={{ slug }}
          search={{ tags: [tag] }}
          variant="default"
          size="lg"
          tt="none"
          fw={400}
          maw="100%"
        >
          {tag}
        </LinkBadge>
      ))}
      {hidden.length > 0 && (
        <Text size="sm" c="dimmed" title={hidden.join(', ')}>
          +{hidden.length}
        </Text>
      )}
    </Group>
  )
}
