import { Button, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isMailOn } from '../api/mail-on.ts'
import { inviteUser } from '../api/users.ts'
import { CopyField } from '../ui/CopyField.tsx'
import { Form, textOf } from '../ui/Form.tsx'
import { TextField } from '../ui/fields.tsx'

/** Invites somebody, and shows the link to hand over: it is shown only here. */
export default function InviteUser({ slug, onClose }: { slug: string; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [role, setRole] = useState<'ADMIN' | 'MEMBER'>('MEMBER')
  const [invited, setInvited] = useState<{ link: string; email: string }>()

  const invite = async (values: FormData) => {
    const input = { email: textOf(values, 'email') ?? '', name: textOf(values, 'name') ?? null, role }
    const { link, user } = await inviteUser(slug, input)
    setInvited({ link, email: user.email })
    await queryClient.invalidateQueries({ queryKey: ['users', slug] })
  }

  return (
    <Modal opened onClose={onClose} title="Invite" closeButtonProps={{ 'aria-label': 'Close' }}>
      {invited ? (
        <Stack>
          <Text>
            {isMailOn()
              ? `The invitation is on its way to ${invited.email} by email. You can also share this link. It`
              : `Share this link with ${invited.email}. It`}{' '}
            works once, expires in 72 hours, and is shown only now.
          </Text>
          <CopyField label="Invitation link" value={invited.link} />
          <Button onClick={onClose}>Done</Button>
        </Stack>
      ) : (
        <Form
          onSubmit={invite}
          submit="Invite"
          beside={
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          }
        >
          <TextField name="email" label="Email" type="email" required data-autofocus />
          <TextField name="name" label="Name" description="Shown in the list until they join." maxLength={80} />
          <SegmentedControl
            aria-label="Role"
            value={role}
            onChange={(value) => setRole(value === 'ADMIN' ? 'ADMIN' : 'MEMBER')}
            data={[
              { value: 'MEMBER', label: 'Member' },
              { value: 'ADMIN', label: 'Admin' },
            ]}
          />
          <Text size="sm" c="dimmed">
            Members can view devices and people. Admins can change everything, including API keys.
          </Text>
        </Form>
      )}
    </Modal>
  )
}
