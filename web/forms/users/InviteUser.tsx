import { Button, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isMailOn } from '../../api/mail.ts'
import { inviteUser } from '../../api/users.ts'
import { MAX_NAME } from '../../limits.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { textOf } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { TextField } from '../../ui/fields.tsx'

/** Invites somebody, and shows the link to hand over: it is shown only here. */
export default function InviteUser({ slug, onClose }: { slug: string; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [role, setRole] = useState<'ADMIN' | 'MEMBER'>('MEMBER')
  const [invited, setInvited] = useState<{ link: string; email: string }>()

  const invite = async (values: FormData) => {
    const input = { email: textOf(values, 'email')?.toLowerCase() ?? '', name: textOf(values, 'name') ?? null, role }
    const { link, user } = await inviteUser(slug, input)
    setInvited({ link, email: user.email })
    await queryClient.invalidateQueries({ queryKey: ['users', slug] })
  }

  return (
    <FormDialog
      title="Invite"
      submit="Invite"
      onSubmit={invite}
      onClose={onClose}
      result={invited && <Invited {...invited} onClose={onClose} />}
    >
      <TextField name="email" label="Email" type="email" required data-autofocus />
      <TextField name="name" label="Name" description="Shown in the list until they join." maxLength={MAX_NAME} />
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
    </FormDialog>
  )
}

function Invited({ link, email, onClose }: { link: string; email: string; onClose: () => void }) {
  return (
    <Stack>
      <Text>
        {isMailOn()
          ? `An invitation was emailed to ${email}. You can also share this link. It`
          : `Share this link with ${email}. It`}{' '}
        works once, expires in 72 hours, and is shown only now.
      </Text>
      <CopyField label="Invitation link" value={link} />
      <Button onClick={onClose}>Done</Button>
    </Stack>
  )
}
