import { Badge, type BadgeProps, Button, type ButtonProps, Group, Text } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'
import type { DeviceStatus as Status } from '../../api/devices.ts'
import { type DotState, StateDot } from '../../ui/StateDot.tsx'

/** The tags of a device; each leads to the devices that have it. */
export function DeviceTags({ slug, tags, shown = tags.length }: { slug: string; tags: string[]; shown?: number }) {
  const hidden = tags.slice(shown)
  return (
    <Group gap="var(--space-1)">
      {tags.slice(0, shown).map((tag) => (
        <LinkBadge
          key={tag}
          to="/$slug/devices"
          params={{ slug }}
          search={{ tags: [tag] }}
          variant="default"
          size="lg"
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

const STATES: Record<Status, { state: DotState; words: string }> = {
  ONLINE: { state: 'well', words: 'Online' },
  OFFLINE: { state: 'half', words: 'Offline' },
  NEVER_SEEN: { state: 'none', words: 'Never seen' },
}

export const DeviceStatus = ({ status }: { status: Status }) => <StateDot {...STATES[status]} />

type Anchored<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>

/** A button, and a tag, that lead somewhere, with the search of the address checked by the compiler. */
export const LinkButton = createLink((props: Anchored<ButtonProps>) => <Button component="a" {...props} />)
const LinkBadge = createLink((props: Anchored<BadgeProps>) => <Badge component="a" {...props} />)
