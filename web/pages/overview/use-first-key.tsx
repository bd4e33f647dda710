import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, Suspense } from 'react'
import { WhenVerified } from '../../components/WhenVerified.tsx'
import { GenerateKey } from '../../forms/api-keys/GenerateKey.tsx'
import { useLostSecret } from '../../forms/api-keys/secret/lost-key.ts'
import { LostKey } from '../../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog } from '../../forms/api-keys/secret/secret-dialog.ts'
import { useGenerated } from '../../forms/api-keys/secret/use-generated.ts'

/**
 * Generates a key where one stands: the form, and the dialog with the secret. They are apart, because the form goes as
 * soon as there is a key, and the secret stays until it is stored.
 */
export function useFirstKey(slug: string, returnTo: RefObject<HTMLElement | null>) {
  const queryClient = useQueryClient()
  const { shown, show, hide } = useGenerated()
  const lostSecret = useLostSecret(slug)
  const stored = () => {
    hide()
    void queryClient.invalidateQueries({ queryKey: ['overview', slug] })
  }
  const form = (
    <WhenVerified>
      <GenerateKey slug={slug} onGenerated={show} onLost={lostSecret.setLost} />
    </WhenVerified>
  )
  const dialog = (
    <Suspense>
      {lostSecret.lost && <LostKey slug={slug} secret={lostSecret} onGenerated={show} />}
      {shown && <SecretDialog slug={slug} {...shown} onStored={stored} returnTo={returnTo} />}
    </Suspense>
  )
  return { form, dialog }
}
