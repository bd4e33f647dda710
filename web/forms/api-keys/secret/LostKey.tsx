import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { type GeneratedKey, type ListedKey, rotateApiKey } from '../../../api/api-keys.ts'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { useConfirming } from '../../../ui/use-confirming.ts'
import { isLost, type LostSecret, type useLostSecret } from './lost-key.ts'
import { loadSecretDialog } from './secret-dialog.ts'

interface LostKeyProps {
  slug: string
  secret: ReturnType<typeof useLostSecret>
  onGenerated: (key: GeneratedKey, message: string) => void
}

/** Says that the secret of a key was not received, and offers another one in its place. */
export default function LostKey({
  slug,
  secret: { lost, setLost, found, error, isFetching, lookAgain },
  onGenerated,
}: LostKeyProps) {
  const notice = useRef<HTMLDivElement>(null)
  const at = lost?.at
  useEffect(() => {
    if (at !== undefined) notice.current?.scrollIntoView({ block: 'center' }) // wherever in the list somebody is
  }, [at])
  if (!lost) return null
  const close = () => setLost(undefined)
  return (
    <Alert color="warning" role="alert" mb="md" ref={notice} data-unsaved>
      <Text fw={600}>The secret was not received</Text>
      {found ? (
        <Replace slug={slug} lost={lost} found={found} onLost={setLost} onGenerated={onGenerated} onClose={close} />
      ) : (
        <>
          <Text size="sm">
            The response did not arrive, so there may be a new key whose secret was never shown.{' '}
            {error
              ? `Could not check whether it exists. ${error.message}`
              : isFetching
                ? 'Looking for it…'
                : 'It is not in the list. Generate another key, and revoke any unused key that appears later.'}
          </Text>
          <Group gap="xs" mt="xs">
            <Button size="xs" variant="default" onClick={lookAgain} loading={isFetching}>
              Check again
            </Button>
            <Button size="xs" variant="default" onClick={close}>
              Close
            </Button>
          </Group>
        </>
      )}
    </Alert>
  )
}

interface ReplaceProps {
  slug: string
  lost: LostSecret
  found: ListedKey
  onLost: (lost: LostSecret) => void
  onGenerated: LostKeyProps['onGenerated']
  onClose: () => void
}

/** One step for the portal: the new key takes the place of the one that nobody can use, which is revoked. */
function Replace({ slug, lost, found, onLost, onGenerated, onClose }: ReplaceProps) {
  const replace = async () => {
    await loadSecretDialog()
    const at = Date.now()
    try {
      const generated = await rotateApiKey(slug, found.id, 0)
      onClose()
      onGenerated(generated, 'The key whose secret was not received is revoked.')
    } catch (thrown) {
      if (!isLost(thrown)) throw thrown
      onLost({ ...lost, at, error: thrown, label: found.label, before: new Set([...lost.before, found.id]) })
    }
  }
  const { pending, error, confirm } = useConfirming(replace, () => undefined)
  return (
    <>
      <Text size="sm">
        The key <b>{found.label}</b> (<span className="mono">{found.prefix}…</span>) was generated, but its secret did
        not arrive and cannot be shown again. Revoke it.
      </Text>
      {error && <ErrorAlert error={error} />}
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={confirm} loading={pending}>
          Revoke it and generate another
        </Button>
        <Button size="xs" variant="subtle" onClick={onClose}>
          Close
        </Button>
      </Group>
    </>
  )
}
