import { Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renameAccount } from '../../api/organization.ts'
import type { Viewer } from '../../api/viewer.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { notifyDone } from '../../ui/notify.ts'

/** What the account is called, and where it is found; the name is the Admin's to change. */
export function AccountName({ organization, isAdmin }: { organization: Viewer['organization']; isAdmin: boolean }) {
  const { slug, name } = organization
  const address = (
    <div>
      <Text size="sm" fw={600}>
        Slug
      </Text>
      <Text className="mono">{slug}</Text>
      <Text size="sm" c="dimmed">
        Used in web addresses. It stays the same when the name changes.
      </Text>
    </div>
  )
  if (isAdmin) return <EditName organization={organization}>{address}</EditName>
  return (
    <Stack>
      <div>
        <Text size="sm" fw={600}>
          Name
        </Text>
        <Text>{name}</Text>
        <Text size="sm" c="dimmed">
          An Admin can change it.
        </Text>
      </div>
      {address}
    </Stack>
  )
}

function EditName({ organization, children }: { organization: Viewer['organization']; children: ReactNode }) {
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
        maxLength={80}
        required
        {...(kind === 'PERSONAL' && { description: 'This is also your own name, which other members see.' })}
      />
      {children}
    </Form>
  )
}
