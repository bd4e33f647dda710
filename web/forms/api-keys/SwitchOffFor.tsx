import { Text } from '@mantine/core'
import type { SupportedOrganization } from '../../api/organization.ts'
import { staysActive } from '../../components/key-activity.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

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
    <ConfirmDialog
      title={`Switch off API keys for ${name}?`}
      action="Switch off"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text>Nobody there can generate keys, and the API Keys button is hidden.</Text>
      <Text>{staysActive(activeApiKeyCount)}</Text>
    </ConfirmDialog>
  )
}
