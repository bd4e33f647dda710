import { Checkbox, Text, Title } from '@mantine/core'
import { type RefObject, useId, useState } from 'react'
import type { KeyRule, PolicyBreach } from '../../api/policy.ts'
import { useReturnFocus } from '../../panels/api-keys/use-return-focus.ts'
import { Confirm } from '../../ui/Confirm.tsx'
import styles from './BrokenRules.module.css'
import { keys } from './words.ts'

interface BrokenRulesProps {
  breaches: readonly PolicyBreach[]
  onConfirm: (applyToExisting: KeyRule[]) => Promise<unknown>
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

const RULES: Record<KeyRule, string> = {
  MAX_KEYS: 'Keys at most',
  LONGEST_LIFE: 'Longest life',
  END_REQUIRED: 'Every key has an end',
  LABEL_REQUIRED: 'Every key has a label',
  ALLOWED_NETWORKS: 'Allowed networks',
  KEYS_MANAGE_KEYS: 'Keys may not manage keys',
  REFUSE_BROWSERS: 'Calls from browsers are refused',
}

/** Shows which keys break the new rules. They are spared, rule by rule, unless their box is ticked. */
export default function BrokenRules({ breaches, onConfirm, onClose, returnTo }: BrokenRulesProps) {
  useReturnFocus(returnTo)
  const [applied, setApplied] = useState<readonly KeyRule[]>([])
  const toggle = (rule: KeyRule) =>
    setApplied((now) => (now.includes(rule) ? now.filter((other) => other !== rule) : [...now, rule]))
  return (
    <Confirm
      title="Keys break these rules"
      action="Save rules"
      onConfirm={() => onConfirm([...applied])}
      onClose={onClose}
    >
      <Text>
        The rules hold for every key from now on. Those that break one today stay as they are, unless you apply it to
        them.
      </Text>
      {breaches.map((breach) => (
        <Breach
          key={breach.rule}
          breach={breach}
          isApplied={applied.includes(breach.rule)}
          onToggle={() => toggle(breach.rule)}
        />
      ))}
    </Confirm>
  )
}

interface BreachProps {
  breach: PolicyBreach
  isApplied: boolean
  onToggle: () => void
}

function Breach({ breach: { rule, apiKeys, consequence }, isApplied, onToggle }: BreachProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="h5" id={id}>
        {RULES[rule]}
      </Title>
      <Text size="sm">{apiKeys.length === 1 ? '1 key breaks this:' : `${keys(apiKeys.length)} break this:`}</Text>
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
        label={`Apply to ${apiKeys.length === 1 ? 'this key' : `these ${keys(apiKeys.length)}`}`}
        description={consequence}
      />
    </section>
  )
}
