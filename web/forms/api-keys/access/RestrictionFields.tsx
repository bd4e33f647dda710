import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { devicesQuery } from '../../../api/devices.ts'
import type { KeyAccess, KeyRestrictions } from '../../../api/key-restrictions.ts'
import { ACCESSES } from '../../../components/key-access.ts'
import { MAX_NAME } from '../../../limits.ts'
import { TextField } from '../../../ui/fields.tsx'
import { NetworksField } from '../policy/NetworksField.tsx'
import styles from './RestrictionFields.module.css'
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

interface AccessFieldProps {
  value: KeyAccess
  onChange: (access: KeyAccess) => void
}

/** How much a key may do, with what each choice means. */
function AccessField({ value, onChange }: AccessFieldProps) {
  const id = useId()
  return (
    <fieldset className={styles['choices']}>
      <legend>Access</legend>
      {Object.entries(ACCESSES).map(([access, { name, description }]) => (
        <div key={access} className={styles['choice']}>
          <label>
            <input
              type="radio"
              className="choice"
              name="access"
              value={access}
              checked={access === value}
              aria-describedby={`${id}${access}`}
              onChange={() => onChange(access as KeyAccess)} // one of those above
            />
            {name}
          </label>
          <span id={`${id}${access}`}>{description}</span>
        </div>
      ))}
    </fieldset>
  )
}

interface DeviceFieldProps {
  slug: string
  /** The name of the one that is chosen already. */
  device: string
}

/** The one device that a check-in key is for, by its name; suggestions appear while typing. */
function DeviceField({ slug, device }: DeviceFieldProps) {
  const [search, setSearch] = useState(device)
  const { data } = useQuery({
    ...devicesQuery(slug, search.trim() === '' ? {} : { search: search.trim() }),
    refetchInterval: false,
    placeholderData: (before) => before,
  })
  const list = useId()
  return (
    <>
      <TextField
        name="deviceId"
        label="Device"
        description="The only device it can check in. Leave empty for any device."
        placeholder="Search by start of name"
        defaultValue={device}
        maxLength={MAX_NAME}
        list={list}
        autoComplete="off"
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <datalist id={list}>
        {data?.data.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </>
  )
}
