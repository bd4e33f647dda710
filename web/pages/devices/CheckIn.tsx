import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useRef } from 'react'
import { generateApiKey } from '../../api/api-keys.ts'
import type { Device } from '../../api/devices.ts'
import { policyQuery } from '../../api/policy.ts'
import { showsApiKeys, type Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { WhenVerified } from '../../components/WhenVerified.tsx'
import { expirationChoices, inDays, NO_POLICY } from '../../forms/api-keys/expiration.ts'
import { isLost, keysBefore, useLostSecret } from '../../forms/api-keys/secret/lost-key.ts'
import { LostKey, readyForSecret } from '../../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog, useGenerated } from '../../forms/api-keys/secret/secret-dialog.ts'
import { checkInCall } from '../../forms/api-keys/secret/secret-samples.ts'
import { MAX_LABEL } from '../../limits.ts'
import { keysOf } from '../../paths.ts'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { useConfirming } from '../../ui/use-confirming.ts'
import { CurlField, thisAccount } from './CurlField.tsx'

/** How a device, or a script in its place, says that it is alive. */
export function CheckIn({ viewer, device }: { viewer: Viewer; device: Device }) {
  return (
    <Section title="Check in">
      <Stack gap="sm">
        <Text maw="var(--width-text)">
          The device, or a script on its behalf, must make this call at least every five minutes to count as online. Set
          API_SECRET to{' '}
          {showsApiKeys(viewer) ? (
            <Anchor component={Link} to={keysOf(viewer.organization)} underline="always">
              an API key
            </Anchor>
          ) : (
            'an API key'
          )}{' '}
          of {thisAccount(viewer.organization)}. A key that can only check in this device is enough.
        </Text>
        <CurlField label="Check-in call" mutation={checkInCall(device.id)} />
        {showsApiKeys(viewer) && <CheckInKey viewer={viewer} device={device} />}
      </Stack>
    </Section>
  )
}

/** One click generates a key that can check in this device and nothing else, in place of an admin one (C10). */
function CheckInKey({ viewer, device }: { viewer: Viewer; device: Device }) {
  const { slug } = viewer.organization
  const queryClient = useQueryClient()
  const { data: policy = NO_POLICY } = useQuery(policyQuery(slug))
  const { shown, show, hide } = useGenerated()
  const lostSecret = useLostSecret(slug)
  const button = useRef<HTMLButtonElement>(null)

  const generate = async () => {
    await readyForSecret()
    const label = `${device.name} check-in`.slice(0, MAX_LABEL).trim()
    const known = { at: Date.now(), label, userId: viewer.user?.id, before: await keysBefore(queryClient, slug) }
    const expiresAt = inDays(expirationChoices(policy)[0]?.value ?? '', policy)
    try {
      show(await generateApiKey(slug, { label, expiresAt, access: 'CHECK_IN', deviceId: device.id }))
    } catch (error) {
      if (!isLost(error)) throw error
      lostSecret.setLost({ ...known, error })
    }
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
  }
  const { pending, error, confirm } = useConfirming(generate, () => undefined)

  return (
    <WhenVerified>
      <Suspense>{lostSecret.lost && <LostKey slug={slug} secret={lostSecret} onGenerated={show} />}</Suspense>
      <Button ref={button} variant="default" loading={pending} onClick={confirm} style={{ alignSelf: 'flex-start' }}>
        Generate a key for this device
      </Button>
      <Text size="sm" c="dimmed">
        That key can only check in {device.name}, and read it. You get the call above with its secret, once.
      </Text>
      {error && <ErrorAlert error={error} />}
      <Suspense>{shown && <SecretDialog slug={slug} {...shown} onStored={hide} returnTo={button} />}</Suspense>
    </WhenVerified>
  )
}
