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
        The name in web addresses. It stays when the name changes.
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
    notifyDone('The name is saved.')
  }
  return (
    <Form onSubmit={rename} submit="Save">
      <TextField
        key={name} // a name that was saved, here or elsewhere, stands in the field
        name="name"
        label="Name"
        defaultValue={name}
        maxLength={80}
        required
        {...(kind === 'PERSONAL' && { description: 'It is your own name too: others see it where you are a member.' })}
      />
      {children}
    </Form>
  )
}
