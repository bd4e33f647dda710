import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'
import { useField } from './Form.tsx'

/** Inputs of a `Form`: each shows what is wrong with it. */
export function TextField({ name, ...props }: TextInputProps & { name: string }) {
  return <TextInput {...useField(name)} {...props} />
}

export function PasswordField({ name, ...props }: PasswordInputProps & { name: string }) {
  return <PasswordInput {...useField(name)} {...props} />
}

/** For a password that is being chosen: what is asked of it stands there before it is refused. */
export function NewPasswordField(props: PasswordInputProps & { name: string }) {
  return <PasswordField description="12 characters or more." autoComplete="new-password" required {...props} />
}
