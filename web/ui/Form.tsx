import { Button, Group, Stack } from '@mantine/core'
import { createContext, type FormEvent, type KeyboardEvent, type ReactNode, useContext, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { ErrorAlert } from './ErrorAlert.tsx'

/** For the fields of a form: the error of one of them. */
const FormError = createContext<ApiError | undefined>(undefined)

export interface FormProps {
  /** Submits the values; an ApiError is shown at its field, or above the button. */
  onSubmit: (values: FormData) => Promise<unknown>
  submit: string
  children: ReactNode
  /** Absent: there is no Cancel button. */
  onCancel?: () => void
  /** Whether the focus is on Cancel first. */
  focusesCancel?: boolean
  /** Whether the focus is on the submit button first. */
  focusesSubmit?: boolean
  fullWidth?: boolean
  /** One of several forms of a page, not the one that the page is for. */
  isQuiet?: boolean
  /** Beside the buttons: what pressing them means. */
  aside?: ReactNode
}

/** A form that keeps its values on error and submits once, however often it is clicked. */
export function Form({
  onSubmit,
  submit,
  children,
  onCancel,
  focusesCancel = false,
  focusesSubmit = false,
  fullWidth = false,
  isQuiet = false,
  aside,
}: FormProps) {
  const [error, setError] = useState<ApiError>()
  const [pending, setPending] = useState(false)
  const [fields, setFields] = useState<readonly string[]>([])

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (pending) return
    const form = event.currentTarget
    const values = new FormData(form)
    const refuse = (refusal: ApiError) => {
      setError(refusal)
      if (refusal.field) inputOf(form, refusal.field)?.focus()
    }
    setFields([...form.elements].flatMap((element) => ('name' in element ? [String(element.name)] : [])))
    setError(undefined)
    const missing = [...form.elements].find(isMissing)
    if (missing) return refuse(new ApiError('This field is required.', { code: 'BAD_USER_INPUT', field: missing.name }))
    setPending(true)
    try {
      await onSubmit(values)
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      refuse(thrown)
    } finally {
      setPending(false)
    }
  }

  const atNoField = error && !(error.field && fields.includes(error.field))
  return (
    <FormError value={error}>
      <form onSubmit={send} noValidate onKeyDown={ignoreHeldEnter}>
        <Stack gap={aside ? 'xs' : 'md'}>
          {children}
          {atNoField && <ErrorAlert error={error} />}
          <Group justify={aside ? 'space-between' : 'flex-end'} gap="xs">
            {aside}
            {onCancel && (
              <Button variant="default" onClick={onCancel} data-autofocus={focusesCancel || undefined}>
                Cancel
              </Button>
            )}
            <Button
              type="submit"
              variant={isQuiet ? 'default' : 'filled'}
              loading={pending}
              fullWidth={fullWidth}
              data-autofocus={focusesSubmit || undefined}
            >
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormError>
  )
}

/** The Enter that opened a form submits it with a key press of its own only. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.repeat) event.preventDefault()
}

const isMissing = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.required && element.value.trim() === ''

const inputOf = (form: HTMLFormElement, name: string) => form.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)

/** The props that connect an input to its form: name and error. */
export function useField(name: string): { name: string; error: string | undefined; 'aria-invalid'?: true } {
  const error = useContext(FormError)
  if (error?.field !== name) return { name, error: undefined }
  return { name, error: sentence(error.message, name), 'aria-invalid': true }
}

/** Without the field name at the start: the label already says it. */
const sentence = (message: string, name: string) => {
  const words = message.replace(`${name}: `, '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What somebody types, as the portal accepts it: without blanks around it, and with its accents composed. */
export const tidyText = (typed: string) => typed.trim().normalize('NFC')

/** A text of a form; undefined when nothing was typed. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name)
  return (typeof value === 'string' && tidyText(value)) || undefined
}
