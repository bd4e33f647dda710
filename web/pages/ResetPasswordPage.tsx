import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isMailOn } from '../api/mail.ts'
import { remainingKeysQuery, revokeRemainingKeys } from '../api/remaining-keys.ts'
import { countKeys } from '../components/key-activity.ts'
import { ResetPassword } from '../forms/identity/ResetPassword.tsx'
import { AuthLayout, ExpiredLink } from '../layouts/AuthLayout.tsx'
import { paths } from '../paths.ts'
import { ErrorAlert } from '../ui/ErrorAlert.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Time } from '../ui/Time.tsx'
import { useConfirming } from '../ui/use-confirming.ts'
import styles from './ResetPasswordPage.module.css'
import { useLinkToken } from './use-link-token.ts'

/** Where a reset link leads: a new password, and in. */
export function ResetPasswordPage() {
  const { token } = useLinkToken()
  const { remainingKeys = 0 } = useLocation().state // which a reload keeps
  const [isExpired, setExpired] = useState(false)
  if (remainingKeys > 0) return <RemainingKeys count={remainingKeys} />
  if (isExpired || token === '') return <Expired />
  return (
    <AuthLayout title="Choose a new password">
      <ResetPassword token={token} onExpired={() => setExpired(true)} />
    </AuthLayout>
  )
}

const Expired = () => (
  <ExpiredLink>
    It is incomplete, was already used, was replaced by a newer one, or is more than 30 minutes old.{' '}
    {isMailOn() ? (
      <Anchor component={Link} to={paths.forgotPassword()} inherit underline="always">
        Request a new link
      </Anchor>
    ) : (
      'Ask the portal administrator for a new one'
    )}
    .
  </ExpiredLink>
)

/** After a new password: the keys of the personal account, which somebody else may have generated. */
function RemainingKeys({ count }: { count: number }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { data, isError } = useQuery(remainingKeysQuery)
  const goOn = () => {
    queryClient.clear()
    return navigate({ href: paths.home(), replace: true })
  }
  const revoke = async () => {
    const { length } = await revokeRemainingKeys(data?.slug)
    notifyDone(`${countKeys(length)} revoked.`)
  }
  const { pending, error, confirm } = useConfirming(revoke, goOn)
  return (
    <AuthLayout title={`Your password is set. Keep your API ${count === 1 ? 'key' : 'keys'}?`}>
      <Stack>
        <Text>
          {count === 1 ? 'This key' : `These ${count} keys`} of your personal account still{' '}
          {count === 1 ? 'works' : 'work'}. If someone else had access to this account, they may have generated{' '}
          {count === 1 ? 'it' : 'them'}. Revoking is permanent: whatever uses a revoked key loses access at once.
        </Text>
        {isError && <Text role="alert">The list could not be loaded. You can still revoke the keys.</Text>}
        <ul className={`plain-list ${styles['keys']}`} aria-label="Keys of your personal account">
          {data?.keys.map((key) => (
            <li key={key.id}>
              <b>{key.label}</b> <span className="mono">{key.prefix}…</span>
              <Text size="sm" c="dimmed" component="div">
                Created <Time at={key.createdAt} /> by {key.createdBy.name}
              </Text>
              <Text size="sm" c="dimmed" component="div">
                {key.lastUsedAt ? (
                  <>
                    Last used <Time at={key.lastUsedAt} /> from {key.lastUsedIp}
                  </>
                ) : (
                  'Never used'
                )}
              </Text>
            </li>
          ))}
          {data && data.others > 0 && <li>and {data.others} more</li>}
        </ul>
        {error && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={goOn}>
            Keep {count === 1 ? 'it' : 'them'}
          </Button>
          <Button color="danger" onClick={confirm} loading={pending}>
            {count === 1 ? 'Revoke it' : 'Revoke all'}
          </Button>
        </Group>
      </Stack>
    </AuthLayout>
  )
}
