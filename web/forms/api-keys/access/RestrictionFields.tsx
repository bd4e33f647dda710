import type { KeyRestrictions } from '../../../api/key-restrictions.ts'
import { TextField } from '../../../ui/fields.tsx'
import { NetworksField } from '../policy/NetworksField.tsx'
import { localTime } from './restriction-values.ts'

/** What else a key can be restricted to than its access (C10). The fields are named as in the API, so that errors find them. */
export function RestrictionFields({ restrictions }: { restrictions?: KeyRestrictions }) {
  return (
    <>
      <div className="field-grid">
        <LimitField name="requestsPerSecond" label="Requests per second" limit={restrictions?.requestsPerSecond} />
        <LimitField name="requestsPerDay" label="Requests per day" limit={restrictions?.requestsPerDay} />
      </div>
      <TextField
        name="notBefore"
        label="Not before"
        description="Calls are refused until then. Leave empty to start now."
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
    placeholder="No limit"
    inputMode="numeric"
    autoComplete="off"
    defaultValue={limit ?? ''}
  />
)
