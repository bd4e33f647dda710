import { Fieldset, Group, SimpleGrid, Switch, TagsInput, Text, Textarea, type TextareaProps } from '@mantine/core'
import { useState } from 'react'
import type { Device } from '../../api/devices.ts'
import { useViewer } from '../../api/viewer.ts'
import { MAX_TAGS } from '../../limits.ts'
import { useField } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { TAG_DIVIDER } from './device-values.ts'
import { devicesWith, useTagsInUse } from './use-tags-in-use.ts'

interface DeviceFormProps {
  title: string
  submit: string
  device?: Device
  onSubmit: (values: FormData) => Promise<void>
  onClose: () => void
}

/** All that can be said of a device. A click outside does not throw away what was typed. */
export function DeviceForm({ title, submit, device, onSubmit, onClose }: DeviceFormProps) {
  return (
    <FormDialog
      title={title}
      submit={submit}
      onSubmit={onSubmit}
      onClose={onClose}
      size="lg"
      closeOnClickOutside={false}
    >
      <TextField
        name="name"
        label="Name"
        description="No other device may have the same name."
        defaultValue={device?.name}
        required
        data-autofocus
        autoComplete="off"
      />
      <LongTextField name="description" label="Description" defaultValue={device?.description ?? ''} />
      <TagsField tags={device?.tags ?? []} />
      <TextField
        name="firmwareVersion"
        label="Firmware"
        description="A check-in can also update it."
        defaultValue={device?.firmwareVersion ?? ''}
        autoComplete="off"
      />
      <LocationFields location={device?.location} />
      <Switch
        name="enabled"
        label="Enabled"
        description="Scripts can filter by this. A disabled device stays in the list."
        defaultChecked={device?.enabled ?? true}
      />
    </FormDialog>
  )
}

function TagsField({ tags }: { tags: string[] }) {
  const { slug } = useViewer().organization
  const [typed, setTyped] = useState('')
  const suggestions = useTagsInUse(slug, typed)
  return (
    <TagsInput
      {...useField('tags')}
      label="Tags"
      description={`Up to ${MAX_TAGS}. Press Enter or comma to add one.`}
      defaultValue={tags}
      data={suggestions.map(({ tag }) => tag)}
      onSearchChange={setTyped}
      renderOption={({ option: { value } }) => (
        <Group justify="space-between" flex={1} gap="sm">
          <span>{value}</span>
          <Text span size="xs" c="dimmed">
            {devicesWith(suggestions.find(({ tag }) => tag === value)?.devices ?? 0)}
          </Text>
        </Group>
      )}
      hiddenInputValuesDivider={TAG_DIVIDER}
      isDuplicate={(tag, others) => others.includes(tag)}
    />
  )
}

function LocationFields({ location }: { location: Device['location'] | undefined }) {
  return (
    <Fieldset legend="Location">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextField name="location.name" label="Place" placeholder="Berlin plant" defaultValue={location?.name ?? ''} />
        <TextField name="location.address" label="Address" defaultValue={location?.address ?? ''} />
        <TextField
          name="location.latitude"
          label="Latitude"
          placeholder="52.52"
          defaultValue={location?.latitude ?? ''}
        />
        <TextField
          name="location.longitude"
          label="Longitude"
          placeholder="13.405"
          defaultValue={location?.longitude ?? ''}
        />
        <TextField
          name="location.timeZone"
          label="Time zone"
          placeholder="Europe/Berlin"
          list="time-zones"
          defaultValue={location?.timeZone ?? ''}
        />
        <datalist id="time-zones">
          {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </SimpleGrid>
    </Fieldset>
  )
}

/** An input of a `Form` for more than a line; on its own, since most pages do without it. */
function LongTextField({ name, ...props }: TextareaProps & { name: string }) {
  return <Textarea autosize minRows={2} {...useField(name)} {...props} />
}
