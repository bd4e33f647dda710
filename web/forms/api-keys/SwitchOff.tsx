import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { countKeys, staysActive } from '../../components/key-counts.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

interface SwitchOffProps {
  active: number
  onConfirm: (revokeActiveKeys: boolean) => Promise<unknown>
  onClose: () => void
}

/** Says what switching off does not do: revoke. That is a choice in the same step (C1). */
export default function SwitchOff({ active, onConfirm, onClose }: SwitchOffProps) {
  useReturnFocus()
  const [revokes, setRevokes] = useState(false)
  return (
    <ConfirmDialog
      title="Switch off API keys?"
      action="Switch off"
      onConfirm={() => onConfirm(revokes)}
      onClose={onClose}
    >
      <Text>Nobody can generate keys, and the API Keys button is hidden.</Text>
      <Text aria-live="polite">
        {revokes
          ? `${countKeys(active)} will be permanently revoked: everything that uses ${active === 1 ? 'it' : 'them'} loses access at once.`
          : staysActive(active)}
      </Text>
      <Checkbox
        checked={revokes}
        onChange={(event) => setRevokes(event.currentTarget.checked)}
        label={`Also revoke ${active === 1 ? 'this key' : `these ${countKeys(active)}`}`}
        description="This cannot be undone."
      />
    </ConfirmDialog>
  )
}
