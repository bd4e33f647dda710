import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import type { RefObject } from 'react'
import type { GeneratedKey } from '../../../api/api-keys.ts'
import { keysHeldQuery } from '../../../api/keys-held.ts'
import { whatItMay } from '../../../components/key-access.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { CopyText } from './CopyText.tsx'
import { FirstCall } from './FirstCall.tsx'
import { asCurl, asEnvLine, firstCallOf } from './forms-of-secret.ts'
import { stateInWords } from './refused-until.ts'
import styles from './SecretDialog.module.css'

interface SecretDialogProps {
  slug: string
  generated: GeneratedKey
  /** What else there is to know. */
  message?: string | undefined
  onStored: () => void
  returnTo: RefObject<HTMLElement | null>
}

const always = () => true

const NOT_ACCEPTED_YET =
  'is generated, but not accepted yet: all API keys are held until the operator of the portal decides.'

/** Shows a secret, once (K4, C8). It stays until it is stored: nothing else closes it, and leaving asks. */
export default function SecretDialog({ slug, generated, message, onStored, returnTo }: SecretDialogProps) {
  const leaving = useBlocker({ shouldBlockFn: always, enableBeforeUnload: true, withResolver: true })
  const { secret, apiKey } = generated
  const { data: heldSince } = useQuery(keysHeldQuery(slug))
  useReturnFocus(returnTo)

  const stored = () => {
    leaving.reset?.()
    onStored()
  }
  return (
    <Modal
      opened
      onClose={() => undefined}
      title="Your new key"
      size="xl"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      transitionProps={{ duration: 0 }}
    >
      <Stack>
        <Text>
          <b>{apiKey.label}</b> {heldSince ? NOT_ACCEPTED_YET : stateInWords(apiKey)} Store its secret now: it is shown
          only once. Treat it like a password, and keep it out of source control.{message && ` ${message}`}
        </Text>
        <Text fw={600}>{whatItMay(apiKey)}</Text>
        <CopyText label="Secret" action="Copy secret" value={secret} autoFocus />
        <CopyText label=".env line" action="Copy .env line" value={asEnvLine(secret)} />
        <CopyText label="curl" action="Copy curl" value={asCurl(secret, window.location.origin, firstCallOf(apiKey))} />
        <div className={styles['foot']}>
          <FirstCall slug={slug} apiKey={apiKey} />
          {leaving.status === 'blocked' && <Leaving stay={leaving.reset} leave={leaving.proceed} />}
          <Group justify="flex-end">
            <Button onClick={stored}>I have stored it</Button>
          </Group>
        </div>
      </Stack>
    </Modal>
  )
}

function Leaving({ stay, leave }: { stay: () => void; leave: () => void }) {
  return (
    <Alert color="yellow" role="alert">
      <Text fw={600}>Leave without storing it?</Text>
      <Text size="sm">It cannot be shown again. The key stays active until it is revoked.</Text>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={stay} autoFocus>
          Stay
        </Button>
        <Button size="xs" variant="default" onClick={leave}>
          Leave anyway
        </Button>
      </Group>
    </Alert>
  )
}
