import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changePassword } from '../../api/profile.ts'
import { Section } from '../../components/Section.tsx'
import { Form } from '../../ui/Form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { NewPasswordField, PasswordField } from '../../ui/password-fields.tsx'

export function ChangePassword({ email }: { email: string }) {
  const queryClient = useQueryClient()
  const [changes, setChanges] = useState(0)
  const change = async (values: FormData) => {
    await changePassword({
      password: String(values.get('password')),
      newPassword: String(values.get('newPassword')),
    })
    setChanges(changes + 1) // and with it an empty form
    notifyDone('Password changed. You are signed out everywhere else.')
    await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Section title="Password" message="Changing it signs you out everywhere else.">
      <Form key={changes} onSubmit={change} submit="Change password">
        <input type="hidden" autoComplete="username" value={email} />
        <PasswordField name="password" label="Current password" autoComplete="current-password" required />
        <NewPasswordField name="newPassword" label="New password" />
      </Form>
    </Section>
  )
}
