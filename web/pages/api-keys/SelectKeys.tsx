import { Button, Group, Text } from '@mantine/core'
import type { ListedKey } from '../../api/api-keys.ts'
import { countKeys } from '../../components/key-activity.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { choicesOf } from './arrange.ts'
import styles from './SelectKeys.module.css'

interface SelectKeysProps {
  /** The keys that are shown: nothing else gets selected. */
  shown: readonly ListedKey[]
  selected: readonly ListedKey[]
  onSelect: (keys: readonly ListedKey[]) => void
  onRevoke: (keys: readonly ListedKey[]) => void
  onReach: () => void
}

/** Above the list while keys are being selected: which, how many, and what for. */
export default function SelectKeys({ shown, selected, onSelect, onRevoke, onReach }: SelectKeysProps) {
  const entries = choicesOf(shown).map(({ label, keys }) => ({
    label: `${label} (${keys.length})`,
    act: () => onSelect(keys),
    disabled: keys.length === 0,
  }))
  const count = selected.length
  return (
    <Group className={styles['bar'] ?? ''} justify="space-between" gap="xs">
      <Group gap="xs">
        <MenuButton
          position="bottom-start"
          button={
            <Button variant="default" size="xs">
              Choose…
            </Button>
          }
          entries={[...entries, 'line', { label: 'None', act: () => onSelect([]), disabled: count === 0 }]}
        />
        <Text size="sm" role="status">
          {count === 0 ? 'None selected' : `${count} selected`}
        </Text>
      </Group>
      <Button
        variant="default"
        size="xs"
        disabled={count === 0}
        {...(count > 0 && { c: 'var(--danger-text)' })}
        onClick={() => onRevoke(selected)}
        onPointerEnter={onReach}
        onFocus={onReach}
      >
        {count === 0 ? 'Revoke' : `Revoke ${countKeys(count)}`}
      </Button>
    </Group>
  )
}
