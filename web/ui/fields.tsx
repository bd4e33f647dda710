import { Button, TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { useField } from './Form.tsx'
import { Icon } from './Icon.tsx'
import { IconEye, IconEyeOff } from './icons/icons.ts'

/** An input of a `Form`: it shows what is wrong with it. */
export function TextField({ name, ...props }: TextInputProps & { name: string }) {
  return <TextInput {...useField(name)} {...props} />
}

type PasswordFieldProps = Omit<TextInputProps, 'type'> & { name: string }

/** A password in a `Form`: it shows what is wrong with it, and what was typed if wanted. */
export function PasswordField({ name, ...props }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false)
  return (
    <TextInput
      {...useField(name)}
      {...props}
      type={isShown ? 'text' : 'password'}
      rightSection={
        <Button
          variant="subtle"
          color="neutral"
          size="compact-sm"
          px="var(--space-1)"
          tabIndex={-1}
          aria-label="Show or hide password"
          aria-pressed={isShown}
          onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
          onClick={() => setShown(!isShown)}
        >
          <Icon of={isShown ? IconEyeOff : IconEye} />
        </Button>
      }
    />
  )
}

/** For choosing a password: the requirement is shown up front. */
export function NewPasswordField(props: PasswordFieldProps) {
  return <PasswordField description="12 characters or more." autoComplete="new-password" required {...props} />
}
