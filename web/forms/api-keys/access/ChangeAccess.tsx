import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type RefObject, useState } from 'react'
import type { ListedKey } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { type KeyRestrictions, restrictionsQuery, updateApiKey } from '../../../api/key-restrictions.ts'
import { whatItMay } from '../../../components/key-access.ts'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { notifyDone } from '../../../ui/notify.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { AccessField } from './AccessField.tsx'
import DeviceField from './DeviceField.tsx'
import { RestrictionFields } from './RestrictionFields.tsx'
import { deviceIdOf, restrictionsFrom } from './restriction-values.ts'
import { changesOf, widening } from './widening.ts'

interface ChangeAccessProps {
  slug: string
  apiKey: Pick<ListedKey, 'id' | 'label'>
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

/** Narrows or widens a key that exists; its secret stays, and the change holds at once (C10). */
export default function ChangeAccess({ slug, apiKey, onClose, returnTo }: ChangeAccessProps) {
  const queryClient = useQueryClient()
  const { data: restrictions, error } = useQuery(restrictionsQuery(slug, apiKey.id))
  useReturnFocus(returnTo)

  const save = async (values: FormData) => {
    if (!restrictions) return
    const chosen = restrictionsFrom(values)
    const isSameDevice = chosen.deviceName === (restrictions.device?.name ?? null)
    const deviceId = isSameDevice ? undefined : await deviceIdOf(slug, chosen.deviceName)
    const changed = await updateApiKey(slug, apiKey.id, changesOf(restrictions, chosen, deviceId))
    notifyDone(`“${apiKey.label}” was changed. Takes effect on the next call. ${whatItMay(changed)}`)
    onClose()
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
  }

  return (
    <FormDialog
      title={`Change access of ${apiKey.label}`}
      submit="Save"
      onSubmit={save}
      onClose={onClose}
      size="lg"
      closeOnClickOutside={false}
    >
      {restrictions ? (
        <Restrictions slug={slug} restrictions={restrictions} />
      ) : error instanceof ApiError ? (
        <ErrorAlert error={error} />
      ) : (
        <Stack role="status" aria-busy="true" aria-label="Loading the access of the key">
          <Skeleton height="var(--height-list)" />
          <Skeleton height="var(--row)" />
        </Stack>
      )}
    </FormDialog>
  )
}

/** Says while somebody chooses whether the key could do more than before. */
function Restrictions({ slug, restrictions }: { slug: string; restrictions: KeyRestrictions }) {
  const [access, setAccess] = useState(restrictions.access)
  const [wider, setWider] = useState<string[]>([])
  const judge = (event: FormEvent<HTMLDivElement>) => {
    const form = event.currentTarget.closest('form')
    if (form) requestAnimationFrame(() => setWider(wideningIn(form, restrictions))) // a field may come or go with a choice
  }
  return (
    <Stack gap="sm" onChange={judge}>
      <Text size="sm">The secret stays the same. Takes effect on the next call.</Text>
      <AccessField value={access} onChange={setAccess} />
      {access === 'CHECK_IN' && <DeviceField slug={slug} device={restrictions.device?.name ?? ''} />}
      <RestrictionFields restrictions={restrictions} />
      <div aria-live="polite">
        {wider.length > 0 && (
          <Alert color="warning">
            This widens the key: it allows {wider.join(', ')}. Anyone with its secret gets that too.
          </Alert>
        )}
      </div>
    </Stack>
  )
}

function wideningIn(form: HTMLFormElement, before: KeyRestrictions): string[] {
  try {
    return widening(before, restrictionsFrom(new FormData(form)))
  } catch (error) {
    if (error instanceof ApiError) return [] // it cannot be saved as it is
    throw error
  }
}
