import { Button, Checkbox, Group, NativeSelect, Radio, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { NewPasswordField, TextField } from '../../ui/fields.tsx'
import { IconTrash } from '../../ui/icons/icons.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'

export const DesignFields = () => (
  <Stack gap="sm" maw="var(--width-text)">
    <TextInput label="Empty" placeholder="For example nightly-export" description="What it is for." />
    <TextInput label="Filled" defaultValue="nightly-export" />
    <TextInput label="Wrong" defaultValue="nightly export" error="Use a to z, digits and hyphens." />
    <TextInput label="Disabled" defaultValue="nightly-export" disabled />
    <NativeSelect label="Choice" data={['No expiration', '30 days']} />
    <Textarea label="Text" defaultValue="Two lines" />
    <Checkbox label="Checkbox" defaultChecked />
    <Group gap="xs">
      <input type="checkbox" className="choice" aria-label="In a row" defaultChecked />
      <Text size="sm">Checkbox in a row</Text>
    </Group>
    <Radio label="Radio button" defaultChecked />
    <Switch label="Switch" defaultChecked />
  </Stack>
)

type Shown = 'confirm' | 'form' | undefined

export function DesignDialogs() {
  const [shown, setShown] = useState<Shown>()
  const close = () => setShown(undefined)
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => setShown('confirm')}>
        Ask
      </Button>
      <Button variant="default" onClick={() => setShown('form')}>
        Form
      </Button>
      <MenuButton
        position="bottom-start"
        button={<Button variant="default">Menu</Button>}
        entries={[
          { heading: 'Heading' },
          { label: 'Rename', act: () => undefined },
          { label: 'Not now', act: () => undefined, disabled: true },
          'line',
          { label: 'Delete', act: () => undefined, danger: true, icon: IconTrash },
        ]}
      />
      {shown === 'confirm' && (
        <ConfirmDialog
          title="Delete this device?"
          action="Delete device"
          onConfirm={async () => close()}
          onClose={close}
        >
          <Text>Its history is deleted with it.</Text>
        </ConfirmDialog>
      )}
      {shown === 'form' && (
        <FormDialog title="Add device" submit="Add" onSubmit={async () => close()} onClose={close}>
          <TextField name="name" label="Name" required />
          <NewPasswordField name="password" label="Password" />
        </FormDialog>
      )}
    </Group>
  )
}
