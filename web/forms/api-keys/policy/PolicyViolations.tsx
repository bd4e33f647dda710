import { Checkbox, Text, Title } from '@mantine/core'
import { type RefObject, useId, useState } from 'react'
import type { KeyRule, PolicyViolation } from '../../../api/policy.ts'
import { countKeys } from '../../../components/key-counts.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import styles from './PolicyViolations.module.css'

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
export default function PolicyViolations({ violations, onConfirm, onClose, returnTo }: PolicyViolationsProps) {
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
