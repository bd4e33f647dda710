import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { useReturnFocus } from '../../panels/api-keys/use-return-focus.ts'
import { Confirm } from '../../ui/Confirm.tsx'
import { keys, staysActive } from './words.ts'

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
    <Confirm title="Switch off API keys?" action="Switch off" onConfirm={() => onConfirm(revokes)} onClose={onClose}>
      <Text>Nobody can generate keys, and the API Keys button is hidden.</Text>
      <Text aria-live="polite">
        {revokes
          ? `${keys(active)} will be permanently revoked: everything that uses ${active === 1 ? 'it' : 'them'} loses access at once.`
          : staysActive(active)}
      </Text>
      <Checkbox
        checked={revokes}
        onChange={(event) => setRevokes(event.currentTarget.checked)}
        label={`Also revoke ${active === 1 ? 'this key' : `these ${keys(active)}`}`}
        description="This cannot be undone."
      />
    </Confirm>
  )
}
