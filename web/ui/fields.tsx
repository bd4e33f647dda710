import { TextInput, type TextInputProps } from '@mantine/core'
import { useField } from './Form.tsx'

/** An input of a `Form`: it shows what is wrong with it. */
export function TextField({ name, ...props }: TextInputProps & { name: string }) {
  return <TextInput {...useField(name)} {...props} />
}
