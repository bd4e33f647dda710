import { Skeleton, Stack, Text } from '@mantine/core'
import { Suspense } from 'react'
import { useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { Section } from '../components/Section.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { AccountName } from './settings/AccountName.tsx'
import { ApiKeysSwitch } from './settings/ApiKeysSwitch.tsx'

const KeyPolicy = lazyPart(() => import('../forms/api-keys/policy/KeyPolicy.tsx'))
const Emails = lazyPart(() => import('./settings/Emails.tsx'))
const Webhooks = lazyPart(() => import('./settings/Webhooks.tsx'))

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
                Only Admins can change this.
              </Text>
            </>
          )}
        </Section>
        {isAdmin && <ForAdmins slug={organization.slug} />}
      </Stack>
    </Page>
  )
}

/** On their own: the switch above does not wait for them. */
function ForAdmins({ slug }: { slug: string }) {
  return (
    <>
      <Section title="API key policy">
        <Suspense fallback={<Skeleton height={240} />}>
          <KeyPolicy slug={slug} />
        </Suspense>
      </Section>
      <Section title="Webhooks" message="They tell your own servers what happens here.">
        <Suspense fallback={<Skeleton height={64} />}>
          <Webhooks slug={slug} />
        </Suspense>
      </Section>
      <Section title="Emails">
        <Suspense fallback={<Skeleton height={80} />}>
          <Emails slug={slug} />
        </Suspense>
      </Section>
    </>
  )
}
