import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'
import { useField } from './Form.tsx'

/** Inputs of a `Form`: each shows what is wrong with it. */
export function TextField({ name, ...props }: TextInputProps & { name: string }) {
  return <TextInput {...useField(name)} {...props} />
}

export function PasswordField({ name, ...props }: PasswordInputProps & { name: string }) {
  return <PasswordInput {...useField(name)} {...props} />
}

/** For choosing a password: the requirement is shown up front. */
export function NewPasswordField(props: PasswordInputProps & { name: string }) {
  return <PasswordField description="12 characters or more." autoComplete="new-password" required {...props} />
}
