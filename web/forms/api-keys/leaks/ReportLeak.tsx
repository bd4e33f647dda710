import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { apiKeyBySecret, type KeyOfSecret, type ReportedLeak, reportLeakedApiKey } from '../../../api/leaks.ts'
import { type RevokedKey, revokedKeysQuery } from '../../../api/revoke-keys.ts'
import { useViewer } from '../../../api/viewer.ts'
import { countKeys } from '../../../components/key-activity.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { textOf } from '../../../ui/Form.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { PasswordField, TextField } from '../../../ui/fields.tsx'
import { notifyDone, notifyLeft } from '../../../ui/notify.ts'
import { Time } from '../../../ui/Time.tsx'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { NOT_DURABLE, refreshAfterRevoke } from '../revoke/notify-revoked.tsx'

const LONGEST_URL = 2000
const LONGEST_SECRET = 200

interface ReportLeakProps {
  slug: string
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

interface Leak {
  secret: string
  url: string | undefined
  /** Null: none of this organization has the secret. */
  apiKey: KeyOfSecret
  revoked: RevokedKey | undefined
}

/** Revokes a key by its secret: first which key it is, then whether to revoke it. */
export default function ReportLeak({ slug, onClose, returnTo }: ReportLeakProps) {
  const queryClient = useQueryClient()
  const [leak, setLeak] = useState<Leak>()
  useReturnFocus(returnTo)

  const find = async (values: FormData) => {
    const secret = textOf(values, 'secret') ?? ''
    const apiKey = await apiKeyBySecret(slug, secret)
    const revoked = apiKey ? undefined : await revokedLike(secret)
    setLeak({ secret, url: textOf(values, 'url'), apiKey, revoked })
  }
  /** One of the last that were revoked, as far as its first characters tell. */
  const revokedLike = async (secret: string) => {
    const { pages } = await queryClient.fetchInfiniteQuery(revokedKeysQuery(slug))
    return pages.flatMap(({ data }) => data).find(({ prefix }) => secret.startsWith(prefix))
  }
  const report = async ({ secret, url }: Leak) => {
    notifyReported(await reportLeakedApiKey(slug, secret, url))
    refreshAfterRevoke(queryClient, slug)
    void queryClient.invalidateQueries({ queryKey: ['canary-keys', slug] })
  }

  if (leak)
    return (
      <ConfirmDialog
        title={leak.apiKey ? 'Revoke this leaked key?' : 'Report this secret?'}
        action={leak.apiKey ? 'Revoke key' : 'Report secret'}
        onConfirm={() => report(leak)}
        onClose={onClose}
      >
        <Consequences apiKey={leak.apiKey} revoked={leak.revoked} />
      </ConfirmDialog>
    )
  return (
    <FormDialog title="Report a leaked key" submit="Continue" onSubmit={find} onClose={onClose}>
      <Text>Paste the leaked secret. You see which key it belongs to before it is revoked.</Text>
      <PasswordField
        name="secret"
        label="Secret"
        description="The complete secret, starting with emp_."
        autoComplete="off"
        maxLength={LONGEST_SECRET}
        required
        data-autofocus
      />
      <TextField
        name="url"
        label="Where it was found"
        description="Optional. Shown to the Admins."
        placeholder="https://github.com/acme/app/blob/main/.env"
        maxLength={LONGEST_URL}
        autoComplete="off"
      />
    </FormDialog>
  )
}

function Consequences({ apiKey, revoked }: Pick<Leak, 'apiKey' | 'revoked'>) {
  const { organization } = useViewer()
  if (revoked)
    return (
      <Text>
        This seems to be the secret of <b>{revoked.label}</b> (<span className="mono">{revoked.prefix}…</span>), which
        was revoked <Time at={revoked.revokedAt} />. There is nothing left to do, unless it belongs to another
        organization.
      </Text>
    )
  if (!apiKey)
    return (
      <Text>
        No active key of {organization.name} has this secret. If it belongs to another organization, this permanently
        revokes it there, and its Admins are notified.
      </Text>
    )
  return (
    <>
      <Text>
        This permanently revokes <b>{apiKey.label}</b> (<span className="mono">{apiKey.prefix}…</span>). Everything that
        uses it loses access at once. The Admins of {organization.name} are notified.
      </Text>
      <Text>
        Last used: <Time at={apiKey.lastUsedAt} />
        {apiKey.lastUsedIp && ` from ${apiKey.lastUsedIp}`}
      </Text>
    </>
  )
}

function notifyReported(reported: ReportedLeak): void {
  const { durable, descendantCount } = reported
  const left = descendantCount === 0 ? '' : ` ${countKeys(descendantCount)} that it generated stay active.`
  const words = `${wordsFor(reported)}${left}${durable ? '' : ` ${NOT_DURABLE}`}`
  if (left === '' && durable) notifyDone(words)
  else notifyLeft(() => words)
}

function wordsFor({ revoked, apiKey, canaryApiKey }: ReportedLeak): string {
  if (canaryApiKey)
    return `This is your canary key “${canaryApiKey.label}”. It gives no access. The Admins are notified.`
  if (!revoked) return 'No active key has this secret. It was already revoked, or is not from this portal.'
  return `${apiKey ? `“${apiKey.label}”` : 'The key'} was revoked. Calls with it are now refused.`
}
