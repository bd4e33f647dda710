import { Anchor, Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { type ListedKey, renameApiKey } from '../../api/api-keys.ts'
import { paths } from '../../paths.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'

interface KeyLabelProps {
  slug: string
  apiKey: ListedKey
  labelId: string
  /** What stands beside the label. */
  children?: ReactNode
}

/** The label of a key, which leads to its page, renamed where it stands: Enter keeps the new one, Escape the old one. */
export function KeyLabel({ slug, apiKey: { id, label }, labelId, children }: KeyLabelProps) {
  const queryClient = useQueryClient()
  const [renaming, setRenaming] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)

  const close = () => {
    setRenaming(false)
    requestAnimationFrame(() => opener.current?.focus())
  }
  const rename = async (values: FormData) => {
    await renameApiKey(slug, id, textOf(values, 'label') ?? '')
    await queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
    close()
  }

  if (!renaming) {
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
  return (
    <Form
      onSubmit={rename}
      submit="Save"
      beside={
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      }
    >
      <TextField
        name="label"
        aria-label={`New label for ${label}`}
        defaultValue={label}
        maxLength={80}
        autoFocus
        autoComplete="off"
        data-mantine-stop-propagation="true" // Escape is for this field, not for the panel around it
        onKeyDown={(event) => event.key === 'Escape' && close()}
        onFocus={(event) => event.currentTarget.select()}
      />
    </Form>
  )
}
