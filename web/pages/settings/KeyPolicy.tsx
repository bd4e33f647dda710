import { Checkbox, Skeleton, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import * as api from '../../api/policy.ts'
import { Form } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Trouble } from '../../ui/Trouble.tsx'
import styles from './KeyPolicy.module.css'
import { NetworksField } from './NetworksField.tsx'
import { policyFrom } from './policy-values.ts'

const BrokenRules = lazy(() => import('./BrokenRules.tsx'))

interface Question {
  input: api.PolicyInput
  breaches: api.PolicyBreach[]
}

/** The rules for keys; trouble with them is told here, and leaves the rest of the page as it is. */
export default function KeyPolicy({ slug }: { slug: string }) {
  const { data: policy, error } = useQuery(api.policyQuery(slug))
  if (policy) return <PolicyForm slug={slug} policy={policy} />
  return error instanceof ApiError ? <Trouble error={error} /> : <Skeleton height={240} />
}

/** Where keys break a new rule, it asks before anything is saved. */
function PolicyForm({ slug, policy }: { slug: string; policy: api.KeyPolicy }) {
  const queryClient = useQueryClient()
  const [question, setQuestion] = useState<Question>()
  const opener = useRef<HTMLElement>(null)

  const save = async (input: api.PolicyInput, applyToExisting: api.KeyRule[]) => {
    await api.setPolicy(slug, input, applyToExisting)
    await queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
    notifyDone('The rules are saved.')
  }
  const submit = async (values: FormData) => {
    const focused = document.activeElement // it loses the focus while the form is being sent
    opener.current = focused instanceof HTMLElement ? focused : null
    const input = policyFrom(values)
    const breaches = await api.policyBreaches(slug, input)
    if (breaches.length > 0) setQuestion({ input, breaches })
    else await save(input, [])
  }

  return (
    <>
      <Form onSubmit={submit} submit="Save rules">
        <div className={styles['numbers']}>
          <NumberField name="maxKeys" label="Keys at most" value={policy.maxKeys} says="Empty: 100, as for all." />
          <NumberField
            name="longestLifeDays"
            label="Longest life, in days"
            value={policy.longestLifeDays}
            says="Empty: as long as wanted."
          />
        </div>
        <NetworksField key={policy.allowedNetworks.join()} networks={policy.allowedNetworks} />
        <Stack gap="sm">
          <Rule name="endRequired" label="Every key has an end" on={policy.endRequired} />
          <Rule name="labelRequired" label="Every key has a label that somebody chose" on={policy.labelRequired} />
          <Rule
            name="keysManageKeys"
            label="Keys may manage keys"
            on={policy.keysManageKeys}
            says="Otherwise only people generate, rename, rotate and revoke them, and change these rules."
          />
          <Rule
            name="refuseBrowsers"
            label="Refuse calls from browsers"
            on={policy.refuseBrowsers}
            says="Whoever opens a web page can read a secret in it. This holds for every key at once."
          />
        </Stack>
      </Form>
      <Suspense>
        {question && (
          <BrokenRules
            breaches={question.breaches}
            onConfirm={(rules) => save(question.input, rules)}
            onClose={() => setQuestion(undefined)}
            returnTo={opener}
          />
        )}
      </Suspense>
    </>
  )
}

interface NumberFieldProps {
  name: string
  label: string
  value: number | null
  says: string
}

/** What was saved, here or elsewhere, stands in the field: hence the keys. */
function NumberField({ name, label, value, says }: NumberFieldProps) {
  return (
    <TextField
      key={value}
      name={name}
      label={label}
      description={says}
      defaultValue={value ?? ''}
      inputMode="numeric"
      maxLength={9}
      autoComplete="off"
    />
  )
}

function Rule({ name, label, on, says }: { name: string; label: string; on: boolean; says?: string }) {
  return <Checkbox key={String(on)} name={name} label={label} description={says} defaultChecked={on} />
}
