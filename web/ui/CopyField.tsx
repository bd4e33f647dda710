import { Button, Group, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { useCopy } from './use-copy.ts'

interface CopyFieldProps {
  label: string
  value: string
  secret?: boolean
  /** What is above it says what it is. */
  hidesLabel?: boolean
}

/** A read-only value with a copy button. */
export function CopyField({ label, value, secret = false, hidesLabel = false }: CopyFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const { copied, copy } = useCopy(field)
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        ref={field}
        {...(hidesLabel ? { 'aria-label': label } : { label })}
        value={value}
        readOnly
        flex={1}
        classNames={{ input: 'mono' }}
        onFocus={(event) => event.currentTarget.select()}
        {...(secret && { autoComplete: 'off', spellCheck: false })}
      />
      <Button variant="default" onClick={() => copy(value)} aria-label={`Copy ${label.toLowerCase()}`}>
        <span aria-live="polite">{copied === 'done' ? 'Copied' : copied === 'refused' ? 'Press Ctrl+C' : 'Copy'}</span>
      </Button>
    </Group>
  )
}
