import { useState } from 'react'
import type { KeyAccess, KeyRestrictions } from '../../../api/key-access.ts'
import { TextField } from '../../../ui/fields.tsx'
import { NetworksField } from '../policy/NetworksField.tsx'
import { AccessField } from './AccessField.tsx'
import { DeviceField } from './DeviceField.tsx'
import { localTime } from './restriction-values.ts'

interface RestrictionFieldsProps {
  slug: string
  /** As they are; absent for a new key. */
  restrictions?: KeyRestrictions
  onAccess?: (access: KeyAccess) => void
}

/** All that a key can be restricted to (C10). The fields are named as in the API, so that errors find them. */
export function RestrictionFields({ slug, restrictions, onAccess }: RestrictionFieldsProps) {
  const [access, setAccess] = useState(restrictions?.access ?? 'ADMIN')
  const change = (chosen: KeyAccess) => {
    setAccess(chosen)
    onAccess?.(chosen)
  }
  return (
    <>
      <AccessField value={access} onChange={change} />
      {access === 'CHECK_IN' && <DeviceField slug={slug} device={restrictions?.device?.name ?? ''} />}
      <div className="field-grid">
        <LimitField name="requestsPerSecond" label="Requests per second" limit={restrictions?.requestsPerSecond} />
        <LimitField name="requestsPerDay" label="Requests per day" limit={restrictions?.requestsPerDay} />
      </div>
      <TextField
        name="notBefore"
        label="Not before"
        description="Calls are refused until then. Leave empty to start at once."
        type="datetime-local"
        defaultValue={localTime(restrictions?.notBefore)}
      />
      <NetworksField networks={restrictions?.allowedNetworks ?? []} />
    </>
  )
}

const LimitField = ({ name, label, limit }: { name: string; label: string; limit: number | null | undefined }) => (
  <TextField
    name={name}
    label={label}
    placeholder="No limit of its own"
    inputMode="numeric"
    autoComplete="off"
    defaultValue={limit ?? ''}
  />
)
