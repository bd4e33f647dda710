import { Text } from '@mantine/core'
import type { SupportedOrganization } from '../../api/support.ts'
import { useReturnFocus } from '../../panels/api-keys/use-return-focus.ts'
import { Confirm } from '../../ui/Confirm.tsx'
import { staysActive } from '../settings/words.ts'

interface SwitchOffForProps {
  organization: SupportedOrganization
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before support switches the feature off for an organization. Only its Admins can revoke keys. */
export default function SwitchOffFor({ organization, onConfirm, onClose }: SwitchOffForProps) {
  useReturnFocus()
  const { name, activeApiKeyCount } = organization
  return (
    <Confirm title={`Switch off API keys for ${name}?`} action="Switch off" onConfirm={onConfirm} onClose={onClose}>
      <Text>Nobody there can generate keys, and the API Keys button is hidden.</Text>
      <Text>{staysActive(activeApiKeyCount)}</Text>
    </Confirm>
  )
}
