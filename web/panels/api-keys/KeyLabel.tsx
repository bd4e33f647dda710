import { Anchor, Box, Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { RenameKey } from '../../forms/api-keys/RenameKey.tsx'
import { paths } from '../../paths.ts'

interface KeyLabelProps {
  slug: string
  apiKey: ListedKey
  labelId: string
  /** What stands beside the label. */
  children?: ReactNode
}

/** The label of a key, which leads to its page and can be renamed in its place. */
export function KeyLabel({ slug, apiKey, labelId, children }: KeyLabelProps) {
  const { id, label } = apiKey
  const [renaming, setRenaming] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const close = () => {
    setRenaming(false)
    requestAnimationFrame(() => opener.current?.focus())
  }
  if (renaming) {
    return (
      <Box mb="xs">
        <RenameKey slug={slug} apiKey={apiKey} onClose={close} />
      </Box>
    )
  }
  return (
    <Group gap={4}>
      <Anchor component={Link} to={paths.apiKey(slug, id)} fw={600} c="inherit" underline="always" id={labelId}>
        {label}
      </Anchor>
      {children}
      <Button
        ref={opener}
        variant="subtle"
        color="gray"
        c="dimmed"
        size="compact-xs"
        onClick={() => setRenaming(true)}
        aria-label={`Rename ${label}`}
      >
        Rename
      </Button>
    </Group>
  )
}
