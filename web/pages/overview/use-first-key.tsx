import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, Suspense, useState } from 'react'
import type { GeneratedKey } from '../../api/api-keys.ts'
import { WhenVerified } from '../../components/WhenVerified.tsx'
import { GenerateKey } from '../../forms/api-keys/GenerateKey.tsx'
import { useLostSecret } from '../../forms/api-keys/secret/lost-key.ts'
import { LostKey } from '../../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog } from '../../forms/api-keys/secret/secret-dialog.ts'

/**
 * Generates a key where one stands: the form, and the dialog with the secret. They are apart, because the form goes as
 * soon as there is a key, and the secret stays until it is stored.
 */
export function useFirstKey(slug: string, returnTo: RefObject<HTMLElement | null>) {
  const queryClient = useQueryClient()
  const [generated, setGenerated] = useState<{ key: GeneratedKey; message?: string }>()
  const lostSecret = useLostSecret(slug)
  const stored = () => {
    setGenerated(undefined)
    void queryClient.invalidateQueries({ queryKey: ['overview', slug] })
  }
  const form = (
    <WhenVerified>
      <GenerateKey slug={slug} onGenerated={(key) => setGenerated({ key })} onLost={lostSecret.setLost} />
    </WhenVerified>
  )
  const dialog = (
    <Suspense>
      {lostSecret.lost && (
        <LostKey slug={slug} secret={lostSecret} onGenerated={(key, message) => setGenerated({ key, message })} />
      )}
      {generated && (
        <SecretDialog
          slug={slug}
          generated={generated.key}
          message={generated.message}
          onStored={stored}
          returnTo={returnTo}
        />
      )}
    </Suspense>
  )
  return { form, dialog }
}
