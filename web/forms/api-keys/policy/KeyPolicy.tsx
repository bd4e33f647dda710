import { Checkbox, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useId, useRef, useState } from 'react'
import { ApiError } from '../../../api/client.ts'
import type { KeyRule, PolicyViolation } from '../../../api/policy.ts'
import * as api from '../../../api/policy.ts'
import { countKeys } from '../../../components/key-activity.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { notifyDone } from '../../../ui/notify.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import styles from './KeyPolicy.module.css'
import { NetworksField } from './NetworksField.tsx'
import { policyFrom } from './policy-values.ts'

interface Question {
  input: api.PolicyInput
  violations: api.PolicyViolation[]
}

/** The policy for keys. If it cannot be loaded, the error is shown here and the rest of the page still works. */
export function KeyPolicy({ slug }: { slug: string }) {
  const { data: policy, error } = useQuery(api.policyQuery(slug))
  if (policy) return <PolicyForm slug={slug} policy={policy} />
  return error instanceof ApiError ? <ErrorAlert error={error} /> : <Skeleton height="var(--height-list)" />
}

/** If existing keys violate a new rule, it asks before anything is saved. */
function PolicyForm({ slug, policy }: { slug: string; policy: api.KeyPolicy }) {
  const queryClient = useQueryClient()
  const [question, setQuestion] = useState<Question>()
  const opener = useRef<HTMLElement>(null)

  const save = async (input: api.PolicyInput, applyToExisting: api.KeyRule[]) => {
    await api.setPolicy(slug, input, applyToExisting)
    await queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
    notifyDone('Policy saved.')
  }
  const submit = async (values: FormData) => {
    const focused = document.activeElement // it loses the focus while the form is being sent
    opener.current = focused instanceof HTMLElement ? focused : null
    const input = policyFrom(values)
    const violations = await api.policyViolations(slug, input)
    if (violations.length > 0) setQuestion({ input, violations })
    else await save(input, [])
  }

  return (
    <>
      <Form onSubmit={submit} submit="Save policy" isQuiet>
        <div className="field-grid">
          <NumberField
            name="maxKeys"
            label="Maximum number of keys"
            value={policy.maxKeys}
            message="Leave empty for the default of 100."
          />
          <NumberField
            name="maxLifetimeDays"
            label="Maximum lifetime (days)"
            value={policy.maxLifetimeDays}
            message="Leave empty for no limit."
          />
        </div>
        <NetworksField key={policy.allowedNetworks.join()} networks={policy.allowedNetworks} />
        <Stack gap="sm">
          <Rule name="expiryRequired" label="Require an expiration date" on={policy.expiryRequired} />
          <Rule name="labelRequired" label="Require a label" on={policy.labelRequired} />
          <Rule
            name="allowKeyManagement"
            label="Allow keys to manage keys"
            on={policy.allowKeyManagement}
            message="If not, only people can generate, rename, rotate and revoke keys, and change this policy."
          />
          <Rule
            name="rejectBrowsers"
            label="Reject calls from browsers"
            on={policy.rejectBrowsers}
            message="Anyone who opens a web page can read the secrets in it. Applies to all keys at once."
          />
        </Stack>
      </Form>
      {question && (
        <PolicyViolations
          violations={question.violations}
          onConfirm={(rules) => save(question.input, rules)}
          onClose={() => setQuestion(undefined)}
          returnTo={opener}
        />
      )}
    </>
  )
}

interface NumberFieldProps {
  name: string
  label: string
  value: number | null
  message: string
}

/** The keys reset the fields when a policy is saved, here or elsewhere. */
function NumberField({ name, label, value, message }: NumberFieldProps) {
  return (
    <TextField
      key={value}
      name={name}
      label={label}
      description={message}
      defaultValue={value ?? ''}
      inputMode="numeric"
      maxLength={9}
      autoComplete="off"
    />
  )
}

function Rule({ name, label, on, message }: { name: string; label: string; on: boolean; message?: string }) {
  return <Checkbox key={String(on)} name={name} label={label} description={message} defaultChecked={on} />
}

interface PolicyViolationsProps {
  violations: readonly PolicyViolation[]
  onConfirm: (applyToExisting: KeyRule[]) => Promise<unknown>
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

const RULES: Record<KeyRule, string> = {
  MAX_KEYS: 'Maximum number of keys',
  MAX_LIFETIME: 'Maximum lifetime',
  EXPIRY_REQUIRED: 'Require an expiration date',
  LABEL_REQUIRED: 'Require a label',
  ALLOWED_NETWORKS: 'Allowed networks',
  ALLOW_KEY_MANAGEMENT: 'Keys cannot manage keys',
  REJECT_BROWSERS: 'Reject calls from browsers',
}

/** Shows which keys violate the new rules. A rule applies to them only if its box is ticked. */
function PolicyViolations({ violations, onConfirm, onClose, returnTo }: PolicyViolationsProps) {
  useReturnFocus(returnTo)
  const [applied, setApplied] = useState<readonly KeyRule[]>([])
  const toggle = (rule: KeyRule) =>
    setApplied((now) => (now.includes(rule) ? now.filter((other) => other !== rule) : [...now, rule]))
  return (
    <ConfirmDialog
      title="Some keys violate the new policy"
      action="Save policy"
      onConfirm={() => onConfirm([...applied])}
      onClose={onClose}
    >
      <Text>
        The new policy applies to every key generated from now on. Existing keys that violate it stay as they are,
        unless you apply the rule to them.
      </Text>
      {violations.map((violation) => (
        <Violation
          key={violation.rule}
          violation={violation}
          isApplied={applied.includes(violation.rule)}
          onToggle={() => toggle(violation.rule)}
        />
      ))}
    </ConfirmDialog>
  )
}

interface ViolationProps {
  violation: PolicyViolation
  isApplied: boolean
  onToggle: () => void
}

function Violation({ violation: { rule, apiKeys, consequence }, isApplied, onToggle }: ViolationProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="h5" id={id}>
        {RULES[rule]}
      </Title>
      <Text size="sm">
        {`${countKeys(apiKeys.length)} ${apiKeys.length === 1 ? 'violates' : 'violate'} this rule:`}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, and must do so by keyboard too */}
      <ul className={styles['keys']} aria-labelledby={id} tabIndex={0}>
        {apiKeys.map(({ id: keyId, label, prefix }) => (
          <li key={keyId}>
            {label}{' '}
            <Text span size="sm" c="dimmed" className="mono">
              {prefix}…
            </Text>
          </li>
        ))}
      </ul>
      <Checkbox
        checked={isApplied}
        onChange={onToggle}
        label={`Apply to ${apiKeys.length === 1 ? 'this key' : `these ${countKeys(apiKeys.length)}`}`}
        description={consequence}
      />
    </section>
  )
}
