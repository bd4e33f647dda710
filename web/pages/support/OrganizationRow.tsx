import { Switch, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { type SupportedOrganization, supportSetApiKeysEnabled } from '../../api/support.ts'
import { countActiveKeys } from '../../components/key-counts.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'

const SwitchOffFor = lazyDialog(() => import('../../forms/api-keys/SwitchOffFor.tsx'))

/** One organization with its switch: on at once, off after a question. */
export function OrganizationRow({ organization }: { organization: SupportedOrganization }) {
  const { id, name, slug, kind, apiKeysEnabled, activeApiKeyCount } = organization
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState(false)
  const [pending, setPending] = useState(false)
  const change = async (enabled: boolean) => {
    await supportSetApiKeysEnabled(id, enabled)
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['support-organizations'] }),
      queryClient.invalidateQueries({ queryKey: ['viewer'] }),
    ])
    notifyDone(`API keys are switched ${enabled ? 'on' : 'off'} for ${name}.`)
  }
  const toggle = async () => {
    if (pending) return
    if (apiKeysEnabled) return setAsking(true)
    setPending(true)
    try {
      await change(true)
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      setPending(false)
    }
  }
  const kindInWords = kind === 'PERSONAL' ? 'Personal account' : 'Organization'
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={500}>{name}</Text>
        <Text size="sm" c="dimmed" className="mono">
          {slug}
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {kindInWords}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{kindInWords}</Table.Td>
      <Table.Td>
        <Switch
          checked={apiKeysEnabled}
          onChange={toggle}
          aria-label={`API keys of ${name}`}
          label={apiKeysEnabled ? 'On' : 'Off'}
          description={countActiveKeys(activeApiKeyCount)}
        />
        <Suspense>
          {asking && (
            <SwitchOffFor
              organization={organization}
              onConfirm={() => change(false)}
              onClose={() => setAsking(false)}
            />
          )}
        </Suspense>
      </Table.Td>
    </Table.Tr>
  )
}
