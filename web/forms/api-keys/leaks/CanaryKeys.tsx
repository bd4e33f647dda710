import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { type CanaryKey, canaryKeysQuery, deleteCanaryApiKey, generateCanaryApiKey } from '../../../api/leaks.ts'
import { MAX_LABEL } from '../../../limits.ts'
import { ConfirmButtons } from '../../../ui/ConfirmDialog.tsx'
import { CopyField } from '../../../ui/CopyField.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { Form, textOf } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useConfirming } from '../../../ui/use-confirming.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'

interface CanaryKeysProps {
  slug: string
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

/** What canary keys are for, those that there are, and a new one. */
export default function CanaryKeys({ slug, onClose, returnTo }: CanaryKeysProps) {
  const queryClient = useQueryClient()
  const { data: canaries } = useQuery(canaryKeysQuery(slug))
  const [generated, setGenerated] = useState<{ label: string; secret: string }>()
  const label = useRef<HTMLInputElement>(null)
  useReturnFocus(returnTo)
  const refresh = () => queryClient.invalidateQueries({ queryKey: canaryKeysQuery(slug).queryKey })

  const generate = async (values: FormData) => {
    setGenerated(await generateCanaryApiKey(slug, textOf(values, 'label') ?? ''))
    label.current?.form?.reset()
    void refresh()
  }
  return (
    <Dialog onClose={onClose} title="Canary keys" size="lg" closeOnClickOutside={generated === undefined}>
      <Stack>
        <Text>
          A canary key looks like an API key but gives no access. Leave it where only an intruder would find it: in a
          private repository, a configuration file, a backup. When it is used, the call is refused like one with an
          unknown key, and the Admins are notified of the time and the address.
        </Text>
        {generated && (
          <Alert color="success" role="status">
            <Text size="sm" mb="xs">
              Store the secret of <b>{generated.label}</b> now: it is shown only once.
            </Text>
            <CopyField label="Secret" value={generated.secret} secret />
          </Alert>
        )}
        <Form onSubmit={generate} submit="Generate canary key">
          <TextField
            ref={label}
            name="label"
            label="Where you put it"
            placeholder="backup of the build server"
            maxLength={MAX_LABEL}
            autoComplete="off"
            required
          />
        </Form>
        {canaries?.length === 0 && <Text c="dimmed">No canary keys yet.</Text>}
        {canaries && canaries.length > 0 && (
          <Stack component="ul" aria-label="Canary keys" gap="sm" p={0} m={0}>
            {canaries.map((canary) => (
              <CanaryRow key={canary.id} slug={slug} canary={canary} onDeleted={refresh} />
            ))}
          </Stack>
        )}
      </Stack>
    </Dialog>
  )
}

function CanaryRow({ slug, canary, onDeleted }: { slug: string; canary: CanaryKey; onDeleted: () => Promise<void> }) {
  const [asks, setAsks] = useState(false)
  const remove = async () => {
    await deleteCanaryApiKey(slug, canary.id)
    await onDeleted()
  }
  const { pending, error, confirm } = useConfirming(remove, () => setAsks(false))
  return (
    <Stack component="li" gap="var(--space-1)" style={{ listStyle: 'none' }}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <CanaryUse canary={canary} />
        {!asks && (
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            onClick={() => setAsks(true)}
            aria-label={`Delete the canary key ${canary.label}`}
          >
            Delete
          </Button>
        )}
      </Group>
      {error && <ErrorAlert error={error} />}
      {asks && (
        <>
          <Text size="sm">Delete this canary key? Nobody will be notified when it is used.</Text>
          <ConfirmButtons action="Delete" pending={pending} onConfirm={confirm} onCancel={() => setAsks(false)} />
        </>
      )}
    </Stack>
  )
}

/** A canary key, and whether somebody has found it. */
function CanaryUse({ canary }: { canary: CanaryKey }) {
  const { label, prefix, calls, lastUsedAt, lastUsedIp, lastUsedUserAgent, leakedAt } = canary
  return (
    <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      <Text fw={600}>
        {label}{' '}
        <Text span size="sm" c="dimmed" className="mono">
          {prefix}…
        </Text>
      </Text>
      {calls === 0 ? (
        <Text size="sm" c="dimmed">
          Never used
        </Text>
      ) : (
        <Text size="sm" c="var(--danger-text)" fw={600}>
          Used {calls === 1 ? 'once' : `${calls} times`}, last from {lastUsedIp} <Time at={lastUsedAt} />
          {lastUsedUserAgent && ` by ${lastUsedUserAgent}`}
        </Text>
      )}
      {leakedAt && (
        <Text size="sm">
          Its secret was reported as leaked <Time at={leakedAt} />
        </Text>
      )}
    </div>
  )
}
