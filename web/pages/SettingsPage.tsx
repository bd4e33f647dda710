import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError } from '../api/client.ts'
import { emailsQuery, isMailOn } from '../api/mail.ts'
import { policyQuery } from '../api/policy.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { type ListedWebhook, webhooksQuery } from '../api/webhooks.ts'
import { Page } from '../components/Page.tsx'
import { Section, Sections } from '../components/Section.tsx'
import { KeyPolicy } from '../forms/api-keys/policy/KeyPolicy.tsx'
import { RenameAccount } from '../forms/organizations/RenameAccount.tsx'
import { paths } from '../paths.ts'
import { ErrorAlert } from '../ui/ErrorAlert.tsx'
import { ApiKeysSwitch } from './settings/ApiKeysSwitch.tsx'
import { Emails } from './settings/Emails.tsx'

/** What an account is called, and whether it has API keys: the Admin changes it, a Member reads it. */
export function SettingsPage() {
  const { role, organization } = useViewer()
  const isAdmin = role === 'ADMIN'
  return (
    <Page title="Settings" of={organization.name}>
      <Sections key={organization.id}>
        <Section title="General" message="What the account is called, and where it is found.">
          <AccountName organization={organization} isAdmin={isAdmin} />
        </Section>
        <Section title="API keys" message="Secrets with which scripts and applications call the API.">
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
      </Sections>
    </Page>
  )
}

/** The switch above does not wait for them; they wait for each other, so that none of them moves. */
function ForAdmins({ slug }: { slug: string }) {
  const policy = useQuery(policyQuery(slug))
  const webhooks = useQuery(webhooksQuery(slug))
  const emails = useInfiniteQuery(emailsQuery(slug))
  if ([policy, webhooks, emails].some(({ isPending }) => isPending)) return <Skeleton height="var(--height-chart)" />
  return (
    <>
      <Section title="API key policy" message="What every new key has to meet, and from where keys may call.">
        <KeyPolicy slug={slug} />
      </Section>
      <Section title="Webhooks" message="They tell your own servers what happens here.">
        <Webhooks slug={slug} />
      </Section>
      <Section
        title="Emails"
        message={`${isMailOn() ? 'Invitations, and warnings' : 'Warnings'} about keys that expire soon and webhooks that are paused.`}
      >
        <Emails slug={slug} />
      </Section>
    </>
  )
}

/** What the account is called, and where it is found; the name is the Admin's to change. */
function AccountName({ organization, isAdmin }: { organization: Viewer['organization']; isAdmin: boolean }) {
  const { slug, name } = organization
  const address = (
    <div>
      <Text size="sm" fw={600}>
        Slug
      </Text>
      <Text className="mono">{slug}</Text>
      <Text size="sm" c="dimmed">
        Used in web addresses. It stays the same when the name changes.
      </Text>
    </div>
  )
  if (isAdmin) return <RenameAccount organization={organization}>{address}</RenameAccount>
  return (
    <Stack>
      <div>
        <Text size="sm" fw={600}>
          Name
        </Text>
        <Text>{name}</Text>
        <Text size="sm" c="dimmed">
          An Admin can change it.
        </Text>
      </div>
      {address}
    </Stack>
  )
}

/** How many webhooks there are, whether one of them needs attention, and the way to them. */
function Webhooks({ slug }: { slug: string }) {
  const { data: webhooks, error } = useQuery(webhooksQuery(slug))
  if (!webhooks) return error instanceof ApiError ? <ErrorAlert error={error} /> : <Skeleton height="var(--row)" />
  return (
    <>
      <Text>{summaryOf(webhooks)}</Text>
      <Text size="sm" mt="xs">
        <Anchor component={Link} to={paths.webhooks(slug)}>
          {webhooks.length === 0 ? 'Add a webhook' : 'View webhooks'}
        </Anchor>
      </Text>
    </>
  )
}

function summaryOf(webhooks: readonly ListedWebhook[]): string {
  if (webhooks.length === 0) return 'No webhooks yet.'
  const failing = webhooks.filter(({ state }) => state === 'FAILING').length
  const paused = webhooks.filter(({ pausedReason }) => pausedReason !== null).length
  const parts = [
    `${webhooks.length} ${webhooks.length === 1 ? 'webhook' : 'webhooks'}`,
    failing > 0 && `${failing} failing`,
    paused > 0 && `${paused} paused`,
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}
