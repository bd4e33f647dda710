import { Button, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ApiError } from '../api/client.ts'
import { apiKeyBySecret } from '../api/leaks.ts'
import { apiKeySecretIn } from '../api/secret-text.ts'
import { useViewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { notifyError, notifyLeft } from './notify.ts'

/** For a field into which somebody has pasted a secret: says whose it is, with a way to that key. */
export function useKeyOfSecret(): (text: string) => Promise<void> {
  const { organization, role } = useViewer()
  const navigate = useNavigate()
  return async (text) => {
    const secret = apiKeySecretIn(text)
    if (!secret) return notifyLeft(() => `${TAKEN_OUT} It is not a complete API key secret.`)
    if (role !== 'ADMIN') return notifyLeft(() => `${TAKEN_OUT} Only Admins can find a key by its secret.`)
    try {
      const key = await apiKeyBySecret(organization.slug, secret)
      if (!key) return notifyLeft(() => `${TAKEN_OUT} No active key of ${organization.name} has this secret.`)
      notifyLeft((close) => (
        <>
          <Text inherit>
            This is the secret of <b>{key.label}</b> (<span className="mono">{key.prefix}…</span>). It was taken out of
            the field, so that it is not stored in the address.
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            mt="xs"
            onClick={() => {
              close()
              void navigate({ href: paths.apiKey(organization.slug, key.id) })
            }}
          >
            Show this key
          </Button>
        </>
      ))
    } catch (error) {
      if (error instanceof ApiError) notifyError(error)
      else notifyLeft(() => TAKEN_OUT)
    }
  }
}

const TAKEN_OUT = 'That looks like a secret, so it was removed from the field and is not in the address.'
