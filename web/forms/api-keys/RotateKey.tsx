import { NativeSelect, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { apiKeysQuery, type GeneratedKey, type ListedKey, rotateApiKey } from '../../api/api-keys.ts'
import { useViewer } from '../../api/viewer.ts'
import { DEFAULT_OVERLAP, OVERLAP_CHOICES, overlapInWords } from '../../components/lengths.ts'
import { useField } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { isLost, keysBefore, type LostSecret } from './secret/lost-key.ts'
import { readyForSecret } from './secret/lost-key-notice.ts'

interface RotateKeyProps {
  slug: string
  apiKey: Pick<ListedKey, 'id' | 'label' | 'expiresAt' | 'paused' | 'pausedUntil'>
  /** With the new key, and what becomes of the old one. */
  onRotated: (key: GeneratedKey, message: string) => void
  /** The new key may be there, but its secret is not. */
  onLost: (lost: LostSecret) => void
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

/** A new secret for a key; the old one goes on for as long as it takes to put the new one in its place. */
export default function RotateKey({ slug, apiKey, onRotated, onLost, onClose, returnTo }: RotateKeyProps) {
  const queryClient = useQueryClient()
  const { user } = useViewer()
  const [overlap, setOverlap] = useState(DEFAULT_OVERLAP)
  useReturnFocus(returnTo)
  const meanwhile = overlapInWords(overlap, apiKey.expiresAt, Date.now())

  const rotate = async () => {
    await readyForSecret()
    const known = { at: Date.now(), label: apiKey.label, userId: user?.id, before: await keysBefore(queryClient, slug) }
    try {
      const generated = await rotateApiKey(slug, apiKey.id, overlap)
      onRotated(generated, meanwhile ? `The old secret works ${meanwhile}.` : 'The old secret no longer works.')
    } catch (error) {
      if (!isLost(error)) throw error
      onLost({ ...known, error })
    }
    onClose()
    void queryClient.invalidateQueries({ queryKey: apiKeysQuery(slug).queryKey })
  }

  return (
    <FormDialog title="Rotate this key?" submit="Rotate key" onSubmit={rotate} onClose={onClose} focusesCancel>
      <Text>
        <b>{apiKey.label}</b> gets a new secret, which is shown once. The new key has the same label
        {apiKey.expiresAt ? ' and the same lifetime' : ''}.
      </Text>
      {apiKey.paused && (
        <Text>
          This key is paused, and so is the new one:{' '}
          {apiKey.pausedUntil ? 'it resumes at the same time.' : 'resume it before you use it.'}
        </Text>
      )}
      <Overlap value={overlap} onChange={setOverlap} />
      <Text role="status">
        {meanwhile
          ? `The old secret works ${meanwhile}, so that you can replace it everywhere without downtime. The list shows whether it is still used.`
          : 'Calls with the old secret are refused at once. This is permanent.'}
      </Text>
    </FormDialog>
  )
}

const Overlap = ({ value, onChange }: { value: number; onChange: (seconds: number) => void }) => (
  <NativeSelect
    {...useField('overlapSeconds')}
    label="Expiration of the old secret"
    value={String(value)}
    onChange={(event) => onChange(Number(event.currentTarget.value))}
    data={OVERLAP_CHOICES}
  />
)
