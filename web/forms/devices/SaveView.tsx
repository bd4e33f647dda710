import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError } from '../../api/client.ts'
import { type DeviceView, deleteDeviceView, deviceViewsQuery, saveDeviceView } from '../../api/device-views.ts'
import { useViewer } from '../../api/viewer.ts'
import { MAX_NAME } from '../../limits.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useConfirming } from '../../ui/use-confirming.ts'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

interface SaveViewProps {
  slug: string
  /** What the address asks for: the filter, the order and the columns of the list. */
  search: string
  onClose: () => void
}

/** Saves the view of the list under a name, for oneself or as an Admin for everyone, and removes such views. */
export default function SaveView({ slug, search, onClose }: SaveViewProps) {
  useReturnFocus()
  const { role, organization } = useViewer()
  const queryClient = useQueryClient()
  const { data: views = [], error } = useQuery(deviceViewsQuery(slug))
  const refresh = () => queryClient.invalidateQueries({ queryKey: deviceViewsQuery(slug).queryKey })
  const submit = async (values: FormData) => {
    const name = textOf(values, 'name') ?? ''
    await saveDeviceView(slug, { name, search, shared: values.has('shared') })
    await refresh()
    notifyDone(`View “${name}” saved.`)
    onClose()
  }
  const remove = async (id: string) => {
    await deleteDeviceView(slug, id)
    await refresh()
  }
  return (
    <Dialog title="Saved views" onClose={onClose}>
      <Stack>
        <Form onSubmit={submit} submit="Save view" onCancel={onClose}>
          <TextField
            name="name"
            label="Name of this view"
            description="Its filter, order and columns. A view of the same name is replaced."
            maxLength={MAX_NAME}
            autoComplete="off"
            required
            data-autofocus
          />
          {role === 'ADMIN' && organization.kind === 'ORGANIZATION' && (
            <Checkbox name="shared" label={`For everyone in ${organization.name}`} />
          )}
        </Form>
        {error instanceof ApiError && <ErrorAlert error={error} />}
        <ul className="plain-list" aria-label="Saved views" tabIndex={-1}>
          {views
            .filter(({ shared }) => !shared || role === 'ADMIN')
            .map((view) => (
              <SavedView key={view.id} view={view} onRemove={() => remove(view.id)} />
            ))}
        </ul>
      </Stack>
    </Dialog>
  )
}

function SavedView({ view: { name, shared }, onRemove }: { view: DeviceView; onRemove: () => Promise<void> }) {
  const item = useRef<HTMLLIElement>(null)
  const remove = async () => {
    const next = item.current?.nextElementSibling ?? item.current?.parentElement
    await onRemove()
    if (next instanceof HTMLElement) next.focus()
  }
  const { pending, error, confirm } = useConfirming(remove, () => undefined)
  const whose = shared ? ' for everyone' : ''
  return (
    <li ref={item} tabIndex={-1}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">
          {name}
          <Text span c="dimmed">
            {whose}
          </Text>
        </Text>
        <Button
          variant="subtle"
          size="compact-sm"
          flex="none"
          aria-label={`Remove ${name}${whose}`}
          loading={pending}
          onClick={confirm}
        >
          Remove
        </Button>
      </Group>
      {error && <ErrorAlert error={error} />}
    </li>
  )
}
