import { TagsInput } from '@mantine/core'
import { ApiError } from '../../../api/client.ts'
import { MAX_TAG } from '../../../limits.ts'
import { Form, useField } from '../../../ui/Form.tsx'
import { TAG_DIVIDER, tagsOf } from '../device-values.ts'

interface TagsFormProps {
  /** Those that the devices in sight have. */
  suggestions: string[]
  submit: string
  onTags: (tags: { add: string[]; remove: string[] }) => void
  onCancel: () => void
}

/** Which tags to add and which to take away; the others of each device stay. */
export function TagsForm({ suggestions, submit, onTags, onCancel }: TagsFormProps) {
  const send = async (values: FormData) => {
    const [add, remove] = [tagsOf(values, 'add'), tagsOf(values, 'remove')]
    const tooLong = add.find((tag) => tag.length > MAX_TAG)
    if (tooLong) throw problem(`A tag has at most ${MAX_TAG} characters.`)
    if (add.length + remove.length === 0) throw problem('Enter at least one tag to add or to remove.')
    if (add.some((tag) => remove.includes(tag))) throw problem('A tag cannot be added and removed at once.')
    onTags({ add, remove })
  }
  return (
    <Form onSubmit={send} submit={submit} onCancel={onCancel}>
      <TagList name="add" label="Tags to add" suggestions={suggestions} autoFocus />
      <TagList name="remove" label="Tags to remove" suggestions={suggestions} />
    </Form>
  )
}

const problem = (message: string) => new ApiError(message, { code: 'BAD_USER_INPUT', field: 'add' })

interface TagListProps {
  name: string
  label: string
  suggestions: string[]
  autoFocus?: boolean
}

const TagList = ({ name, label, suggestions, autoFocus = false }: TagListProps) => (
  <TagsInput
    {...useField(name)}
    label={label}
    description="Press Enter or comma after each."
    data={suggestions}
    maxDropdownHeight={180}
    openOnFocus={false}
    hiddenInputValuesDivider={TAG_DIVIDER}
    isDuplicate={(tag, others) => others.includes(tag)}
    data-autofocus={autoFocus || undefined}
  />
)
