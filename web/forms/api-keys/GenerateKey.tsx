import { Button, NativeSelect, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { type GeneratedKey, generateApiKey, type NewKey } from '../../api/api-keys.ts'
import type { KeyAccess } from '../../api/key-restrictions.ts'
import { setApiKeysEnabled } from '../../api/organization.ts'
import { policyQuery } from '../../api/policy.ts'
import { useViewer } from '../../api/viewer.ts'
import { whatItMay } from '../../components/key-access.ts'
import { MAX_LABEL } from '../../limits.ts'
import { dayOf } from '../../ui/day-of.ts'
import { Form, textOf, useField } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { AccessField } from './access/AccessField.tsx'
import {
  CUSTOM_DATE,
  type ExpirationPolicy,
  endOfDay,
  expirationChoices,
  inDays,
  lastDateOf,
  NO_POLICY,
} from './expiration.ts'
import styles from './GenerateKey.module.css'
import { isLost, keysBefore, type LostSecret } from './secret/lost-key.ts'
import { readyForSecret } from './secret/lost-key-notice.ts'

const DeviceField = lazyDialog(() => import('./access/DeviceField.tsx'))
const KeyOptions = lazyDialog(() => import('./access/KeyOptions.tsx'))

interface GenerateKeyProps {
  slug: string
  /** Below what the key may do. */
  help?: ReactNode
  /** The feature is off: the same click switches it on. */
  switchesOn?: boolean
  onGenerated: (key: GeneratedKey) => void
  /** The key may be there, but its secret is not. */
  onLost: (lost: LostSecret) => void
}

/** One click generates a key with the whole access (K1, K6); a label, an expiration and less access can be chosen before. */
export function GenerateKey({ slug, help, switchesOn = false, onGenerated, onLost }: GenerateKeyProps) {
  const queryClient = useQueryClient()
  const { user } = useViewer()
  const { data: policy } = useQuery(policyQuery(slug))
  const limits = policy ?? NO_POLICY
  const label = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<string>()
  const [access, setAccess] = useState<KeyAccess>('ADMIN')
  const [options, setOptions] = useState<'open' | 'closed'>() // absent: never opened
  const expiration = chosen ?? expirationChoices(limits)[0]?.value ?? CUSTOM_DATE

  const inputFrom = async (values: FormData): Promise<NewKey> => {
    const expiresAt = expiration === CUSTOM_DATE ? endOfDay(textOf(values, 'expiresAt')) : inDays(expiration, limits)
    const named = { label: textOf(values, 'label') ?? null, expiresAt }
    if (access === 'ADMIN' && options !== 'open') return named
    const { deviceIdOf, restrictionsFrom } = await import('./access/restriction-values.ts')
    const { deviceName, ...restrictions } = restrictionsFrom(values)
    return { ...named, ...restrictions, deviceId: await deviceIdOf(slug, deviceName) }
  }

  const generate = async (values: FormData) => {
    const input = await inputFrom(values)
    await readyForSecret()
    if (switchesOn) await setApiKeysEnabled(slug, true)
    const wanted = input.label ?? undefined
    const known = { at: Date.now(), label: wanted, userId: user?.id, before: await keysBefore(queryClient, slug) }
    try {
      onGenerated(await generateApiKey(slug, input))
    } catch (error) {
      if (!isLost(error)) throw error
      onLost({ ...known, error })
      return // nothing that was chosen is lost: the next one must not be a wider key
    }
    label.current?.form?.reset()
    setChosen(undefined)
    setAccess('ADMIN')
    setOptions(undefined)
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
    if (switchesOn) void queryClient.invalidateQueries({ queryKey: ['viewer'] })
  }

  return (
    <Form
      onSubmit={generate}
      submit={switchesOn ? 'Switch on and generate key' : 'Generate Key'}
      focusesSubmit
      aside={
        <Aside
          access={access}
          areOpen={options === 'open'}
          onToggle={() => setOptions(options === 'open' ? 'closed' : 'open')}
        >
          {help}
        </Aside>
      }
    >
      <div className={styles['fields']}>
        <TextField
          ref={label}
          name="label"
          label="Label"
          description={policy?.labelRequired && 'Required: what the key is for.'}
          placeholder={policy?.labelRequired ? 'nightly-export' : 'Optional, for example nightly-export'}
          maxLength={MAX_LABEL}
          autoComplete="off"
        />
        <AccessField value={access} onChange={setAccess} isShort />
        <ExpirationField policy={limits} value={expiration} onChange={setChosen} />
      </div>
      {access === 'CHECK_IN' && <DeviceField slug={slug} onClose={() => undefined} />}
      {options && <KeyOptions hidden={options === 'closed'} onClose={() => setOptions(undefined)} />}
    </Form>
  )
}

interface AsideProps {
  access: KeyAccess
  areOpen: boolean
  onToggle: () => void
  children: ReactNode
}

/** Before it is generated: what the key may do, and the way to less. */
const Aside = ({ access, areOpen, onToggle, children }: AsideProps) => (
  <>
    <div className={styles['aside']}>
      <Text size="sm" role="status">
        {whatItMay({ access })}
      </Text>
      {children}
    </div>
    <Button variant="default" aria-expanded={areOpen} onClick={onToggle}>
      {areOpen ? 'Fewer options' : 'Options'}
    </Button>
  </>
)

interface ExpirationFieldProps {
  policy: ExpirationPolicy
  value: string
  onChange: (value: string) => void
}

/** When a new key expires: a preset, or a date (C7). Either is sent as `expiresAt`. */
function ExpirationField({ policy, value, onChange }: ExpirationFieldProps) {
  const field = useField('expiresAt')
  const isCustom = value === CUSTOM_DATE
  const { maxLifetimeDays } = policy
  return (
    <>
      <NativeSelect
        {...(isCustom ? {} : field)}
        label="Expiration"
        description={maxLifetimeDays !== null && `At most ${maxLifetimeDays.toLocaleString()} days from now.`}
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
          min={dayOf(new Date())}
          max={lastDateOf(policy)}
        />
      )}
    </>
  )
}
