import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renameAccount } from '../../api/organization.ts'
import type { Viewer } from '../../api/viewer.ts'
import { MAX_NAME } from '../../limits.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { notifyDone } from '../../ui/notify.ts'

interface RenameAccountProps {
  organization: Viewer['organization']
  /** Between the name and the button. */
  children: ReactNode
}

export function RenameAccount({ organization, children }: RenameAccountProps) {
  const { kind, name } = organization
  const queryClient = useQueryClient()
  const rename = async (values: FormData) => {
    await renameAccount(organization, textOf(values, 'name') ?? '')
    await queryClient.invalidateQueries({ queryKey: ['viewer'] })
    notifyDone('Name saved.')
  }
  return (
    <Form onSubmit={rename} submit="Save">
      <TextField
        key={name} // shows a saved name, also one saved elsewhere
        name="name"
        label="Name"
        defaultValue={name}
        maxLength={MAX_NAME}
        required
        {...(kind === 'PERSONAL' && { description: 'This is also your own name, which other members see.' })}
      />
      {children}
    </Form>
  )
}
