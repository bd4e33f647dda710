import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { RefObject } from 'react'
import type { KeyOfPage } from '../../../api/api-key.ts'
import { type KeyAccess, updateApiKey } from '../../../api/key-restrictions.ts'
import { ACCESSES, LOST, refusedInWords, usedInWords, whatItMay } from '../../../components/key-access.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { notifyDone } from '../../../ui/notify.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'

interface NarrowAccessProps {
  slug: string
  apiKey: KeyOfPage
  access: KeyAccess
  onClose: () => void
  /** The button that opened it is gone afterwards. */
  returnTo: RefObject<HTMLElement | null>
}

/** Asks before a key is narrowed, with what is lost and what would have been refused. */
export default function NarrowAccess({ slug, apiKey, access, onClose, returnTo }: NarrowAccessProps) {
  const queryClient = useQueryClient()
  useReturnFocus(returnTo)
  const { name } = ACCESSES[access]
  const refused = apiKey.suggestedAccess.narrower.find((each) => each.access === access)?.refused ?? []

  const narrow = async () => {
    const changed = await updateApiKey(slug, apiKey.id, { access })
    notifyDone(`“${apiKey.label}” was changed. Takes effect on the next call. ${whatItMay(changed)}`)
    await queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
  }
  return (
    <ConfirmDialog
      title={`Narrow ${apiKey.label} to ${name}?`}
      action={`Narrow to ${name}`}
      onConfirm={narrow}
      onClose={onClose}
    >
      <Text>{whatItMay({ access })}</Text>
      {access !== 'ADMIN' && <Text>{LOST[access]}</Text>}
      <Text>{usedInWords(apiKey)}</Text>
      <Text>Would have been refused in the last 30 days: {refusedInWords(refused)}</Text>
      <Text size="sm" c="dimmed">
        Takes effect on the next call. What the key does less often than every 30 days is not known. An Admin can widen
        it again; the secret stays the same.
      </Text>
    </ConfirmDialog>
  )
}
