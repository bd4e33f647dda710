import { Button, Group, Stack, Text } from '@mantine/core'
import { MAX_NAME } from '../../limits.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

interface SaveViewProps {
  /** The names of those that are saved. */
  names: readonly string[]
  onSave: (name: string) => void
  onRemove: (name: string) => void
  onClose: () => void
}

/** Gives the filter, the order and the columns of the list a name, and takes such names back. */
export default function SaveView({ names, onSave, onRemove, onClose }: SaveViewProps) {
  useReturnFocus()
  const submit = async (values: FormData) => {
    const name = textOf(values, 'name') ?? ''
    onSave(name)
    notifyDone(`View “${name}” saved.`)
    onClose()
  }
  return (
    <Dialog title="Saved views" onClose={onClose}>
      <Stack>
        <Form onSubmit={submit} submit="Save view" onCancel={onClose}>
          <TextField
            name="name"
            label="Name of this view"
            description="Its filter, order and columns, in this browser. To share it, send the address of the page."
            maxLength={MAX_NAME}
            autoComplete="off"
            required
            data-autofocus
          />
        </Form>
        <ul className="plain-list" aria-label="Saved views">
          {names.map((name) => (
            <Group component="li" key={name} justify="space-between" wrap="nowrap">
              <Text size="sm">{name}</Text>
              <Button variant="subtle" size="compact-sm" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
                Remove
              </Button>
            </Group>
          ))}
        </ul>
      </Stack>
    </Dialog>
  )
}
