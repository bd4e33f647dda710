import { NativeSelect } from '@mantine/core'
import { useField } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { CUSTOM_DATE, type ExpirationPolicy, expirationChoices, lastDateOf } from './expiration.ts'

interface ExpirationFieldProps {
  policy: ExpirationPolicy
  value: string
  onChange: (value: string) => void
}

/** When a new key expires: a preset, or a date (C7). Either is sent as `expiresAt`. */
export function ExpirationField({ policy, value, onChange }: ExpirationFieldProps) {
  const field = useField('expiresAt')
  const isCustom = value === CUSTOM_DATE
  const { maxLifetimeDays } = policy
  return (
    <>
      <NativeSelect
        {...(isCustom ? {} : field)}
        label="Expiration"
        description={maxLifetimeDays !== null && `At most ${maxLifetimeDays} days from now.`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={expirationChoices(policy)}
      />
      {isCustom && (
        <TextField
          name="expiresAt"
          label="Expiration date"
          description="The key works until the end of this day."
          type="date"
          max={lastDateOf(policy)}
        />
      )}
    </>
  )
}
