import { Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type GeneratedKey, generateApiKey } from '../../api/api-keys.ts'
import { policyQuery } from '../../api/policy.ts'
import { useViewer } from '../../api/viewer.ts'
import { MAX_LABEL } from '../../limits.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { ExpirationField } from './ExpirationField.tsx'
import { CUSTOM_DATE, type ExpirationPolicy, endOfDay, expirationChoices, inDays } from './expiration.ts'
import { isLost, knownKeys, type LostSecret } from './secret/lost-key.ts'
import { readyForSecret } from './secret/lost-key-notice.ts'

interface GenerateKeyProps {
  slug: string
  onGenerated: (key: GeneratedKey) => void
  /** The key may be there, but its secret is not. */
  onLost: (lost: LostSecret) => void
}

const NO_POLICY: ExpirationPolicy = { maxLifetimeDays: null, expiryRequired: false }

/** One click generates a key; a label and an expiration may be given before (K1, C7). */
export function GenerateKey({ slug, onGenerated, onLost }: GenerateKeyProps) {
  const queryClient = useQueryClient()
  const { user } = useViewer()
  const { data: policy } = useQuery(policyQuery(slug))
  const limits = policy ?? NO_POLICY
  const label = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<string>()
  const expiration = chosen ?? expirationChoices(limits)[0]?.value ?? CUSTOM_DATE

  const generate = async (values: FormData) => {
    const expiresAt = expiration === CUSTOM_DATE ? endOfDay(textOf(values, 'expiresAt')) : inDays(expiration, limits)
    await readyForSecret()
    const wanted = textOf(values, 'label')
    const known = { at: Date.now(), label: wanted, userId: user?.id, before: knownKeys(queryClient, slug) }
    try {
      onGenerated(await generateApiKey(slug, { label: wanted ?? null, expiresAt }))
    } catch (error) {
      if (!isLost(error)) throw error
      onLost({ ...known, error })
    }
    label.current?.form?.reset()
    setChosen(undefined)
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
  }

  return (
    <Form onSubmit={generate} submit="Generate Key" aside={<WhatItMay />}>
      <div className="field-grid">
        <TextField
          ref={label}
          name="label"
          label="Label"
          description={policy?.labelRequired && 'Required: what the key is for.'}
          placeholder={policy?.labelRequired ? 'nightly-export' : 'Optional, for example nightly-export'}
          maxLength={MAX_LABEL}
          autoComplete="off"
        />
        <ExpirationField policy={limits} value={expiration} onChange={setChosen} />
      </div>
    </Form>
  )
}

/** Before it is generated (K6). */
const WhatItMay = () => <Text size="sm">This key can do everything an Admin can.</Text>
