import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { isMailOn } from '../../api/mail-on.ts'
import { updateProfile } from '../../api/profile.ts'
import type { Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { MAX_NAME } from '../../limits.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
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
