import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isMailOn } from '../../api/mail.ts'
import { changePassword, updateProfile } from '../../api/profile.ts'
import type { Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { MAX_NAME } from '../../limits.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { NewPasswordField, PasswordField, TextField } from '../../ui/fields.tsx'
import { notifyDone } from '../../ui/notify.ts'

/** The name that others see; the email address is fixed. */
export function EditProfile({ viewer }: { viewer: Viewer }) {
  const queryClient = useQueryClient()
  const save = async (values: FormData) => {
    await updateProfile(textOf(values, 'name') ?? '')
    await queryClient.invalidateQueries({
      predicate: ({ queryKey }) => ['viewer', 'users'].includes(String(queryKey[0])),
    })
    notifyDone('Name saved.')
  }
  return (
    <Section title="You" message="Others see your name. It is also the name of your personal account.">
      <Form onSubmit={save} submit="Save">
        <TextField
          name="name"
          label="Name"
          defaultValue={viewer.user?.name}
          autoComplete="name"
          maxLength={MAX_NAME}
          required
        />
        <TextInput
          label="Email"
          description={isMailOn() && (viewer.emailVerified ? 'Verified' : 'Not verified yet')}
          value={viewer.user?.email}
          readOnly
          variant="unstyled"
        />
      </Form>
    </Section>
  )
}

export function ChangePassword({ email }: { email: string }) {
  const queryClient = useQueryClient()
  const [changes, setChanges] = useState(0)
  const change = async (values: FormData) => {
    await changePassword({
      password: String(values.get('password')),
      newPassword: String(values.get('newPassword')),
    })
    setChanges(changes + 1) // a new form, which is empty
    notifyDone('Password changed. You are signed out everywhere else.')
    await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Section title="Password" message="Changing it signs you out everywhere else.">
      <Form key={changes} onSubmit={change} submit="Change password" isQuiet>
        <input type="hidden" autoComplete="username" value={email} />
        <PasswordField name="password" label="Current password" autoComplete="current-password" required />
        <NewPasswordField name="newPassword" label="New password" />
      </Form>
    </Section>
  )
}
