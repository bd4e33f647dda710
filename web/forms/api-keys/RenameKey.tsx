import { useQueryClient } from '@tanstack/react-query'
import { type ListedKey, renameApiKey } from '../../api/api-keys.ts'
import { MAX_LABEL } from '../../limits.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { notifyDone } from '../../ui/notify.ts'

interface RenameKeyProps {
  slug: string
  apiKey: Pick<ListedKey, 'id' | 'label'>
  onClose: () => void
}

/** In place of a label: Enter keeps the new one, Escape the old one. */
export default function RenameKey({ slug, apiKey: { id, label }, onClose }: RenameKeyProps) {
  const queryClient = useQueryClient()
  const rename = async (values: FormData) => {
    const wanted = textOf(values, 'label') ?? ''
    await renameApiKey(slug, id, wanted)
    await queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
    notifyDone(`Renamed to “${wanted}”.`)
    onClose()
  }
  return (
    <Form onSubmit={rename} submit="Save" onCancel={onClose} isQuiet>
      <TextField
        name="label"
        aria-label={`New label for ${label}`}
        defaultValue={label}
        maxLength={MAX_LABEL}
        autoFocus
        autoComplete="off"
        data-mantine-stop-propagation="true" // Escape is for this field, not for the panel around it
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
        onFocus={(event) => event.currentTarget.select()}
      />
    </Form>
  )
}
