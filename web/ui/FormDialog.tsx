import type { ReactNode } from 'react'
import { Dialog } from './Dialog.tsx'
import { Form, type FormProps } from './Form.tsx'

interface FormDialogProps extends Omit<FormProps, 'onCancel' | 'fullWidth'> {
  title: string
  onClose: () => void
  /** In place of the form once it has been submitted. */
  result?: ReactNode
  size?: 'md' | 'lg'
  /** False where a click outside would throw away much of what was typed. */
  closeOnClickOutside?: boolean
}

/** A dialog with a form. It stays open when the form is submitted: `onSubmit` closes it, or gives it a result. */
export function FormDialog({
  title,
  onClose,
  result,
  size = 'md',
  closeOnClickOutside = true,
  ...form
}: FormDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} size={size} closeOnClickOutside={closeOnClickOutside}>
      {result ?? <Form {...form} onCancel={onClose} />}
    </Dialog>
  )
}
