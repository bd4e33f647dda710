import { Stack, Text } from '@mantine/core'
import { useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { AccountName } from './settings/AccountName.tsx'
import { ApiKeysSwitch } from './settings/ApiKeysSwitch.tsx'
import { Section } from './settings/Section.tsx'

/** What an account is called, and whether it has API keys: the Admin changes it, a Member reads it. */
export function SettingsPage() {
  const { role, organization } = useViewer()
  const isAdmin = role === 'ADMIN'
  return (
    <Page title="Settings" of={organization.name}>
      <Stack maw={760} key={organization.id}>
        <Section title="General">
          <AccountName organization={organization} isAdmin={isAdmin} />
        </Section>
        <Section title="API keys">
          {isAdmin ? (
            <ApiKeysSwitch organization={organization} />
          ) : (
            <>
              <Text>API keys are switched {organization.apiKeysEnabled ? 'on' : 'off'}.</Text>
              <Text size="sm" c="dimmed">
                You cannot change this: keys and their switch are for Admins.
              </Text>
            </>
          )}
        </Section>
      </Stack>
    </Page>
  )
}
