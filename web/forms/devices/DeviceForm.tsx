import { Fieldset, SimpleGrid, Switch, TagsInput, Textarea, type TextareaProps } from '@mantine/core'
import type { Device } from '../../api/devices.ts'
import { MAX_TAGS } from '../../limits.ts'
import { useField } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { TAG_DIVIDER } from './device-values.ts'

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
  return (
    <TagsInput
      {...useField('tags')}
      label="Tags"
      description={`Up to ${MAX_TAGS}. Press Enter or comma to add one.`}
      defaultValue={tags}
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
