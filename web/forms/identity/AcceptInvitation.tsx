import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ApiError } from '../../api/client.ts'
import { acceptInvitation, type Invitation } from '../../api/session.ts'
import { MAX_NAME } from '../../limits.ts'
import { paths } from '../../paths.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { NewPasswordField, PasswordField, TextField } from '../../ui/fields.tsx'

interface AcceptInvitationProps {
  token: string
  invitation: Invitation
  /** As the invited person. */
  isSignedIn: boolean
}

/** One click for the signed-in invited person, the password for an existing account, otherwise a new account. */
export function AcceptInvitation({ token, invitation, isSignedIn }: AcceptInvitationProps) {
  const { organization, email, name, hasAccount } = invitation
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const accept = async (values: FormData) => {
    const password = values.get('password')
    await acceptInvitation({
      token,
      name: textOf(values, 'name'),
      ...(typeof password === 'string' && { password }),
    }).catch(atThePassword)
    queryClient.clear()
    await navigate({ href: paths.overview(organization.slug), replace: true })
  }
  return (
    <Form onSubmit={accept} submit={`Join ${organization.name}`} fullWidth>
      {!isSignedIn && <TextField name="email" label="Email" value={email} readOnly autoComplete="username" />}
      {!hasAccount && (
        <TextField name="name" label="Name" defaultValue={name} autoComplete="name" maxLength={MAX_NAME} required />
      )}
      {!hasAccount && <NewPasswordField name="password" label="Password" />}
      {hasAccount && !isSignedIn && (
        <PasswordField
          name="password"
          label="Password"
          description="The password of your existing account."
          autoComplete="current-password"
          required
        />
      )}
    </Form>
  )
}

function atThePassword(error: unknown): never {
  const isWrong = error instanceof ApiError && error.code === 'UNAUTHENTICATED'
  throw isWrong ? new ApiError('Wrong password.', { code: error.code, field: 'password' }) : error
}
