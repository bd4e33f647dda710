import { Textarea, type TextareaProps } from '@mantine/core'
import { useField } from './Form.tsx'

/** An input of a `Form` for more than a line; on its own, since most pages do without it. */
export function LongTextField({ name, ...props }: TextareaProps & { name: string }) {
  return <Textarea autosize minRows={2} {...useField(name)} {...props} />
}
