import {
  PasswordInput,
  type PasswordInputProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { useField } from './Form.tsx'

/** Inputs of a `Form`: each shows what is wrong with it. */
export function TextField({ name, ...props }: TextInputProps & { name: string }) {
  return <TextInput {...useField(name)} {...props} />
}

export function PasswordField({ name, ...props }: PasswordInputProps & { name: string }) {
  return <PasswordInput {...useField(name)} {...props} />
}

export function LongTextField({ name, ...props }: TextareaProps & { name: string }) {
  return <Textarea autosize minRows={2} {...useField(name)} {...props} />
}
