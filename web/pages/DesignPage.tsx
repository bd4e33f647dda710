import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core'
import { ApiError } from '../api/client.ts'
import type { KeyAccess } from '../api/key-restrictions.ts'
import { AccessBadge } from '../components/AccessBadge.tsx'
import { DescriptionItem, DescriptionList } from '../components/DescriptionList.tsx'
import { Page } from '../components/Page.tsx'
import { Section } from '../components/Section.tsx'
import { DesignDialogs, DesignFields } from '../forms/design/DesignForms.tsx'
import { CopyCode } from '../ui/CopyCode.tsx'
import { CopyField } from '../ui/CopyField.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorAlert } from '../ui/ErrorAlert.tsx'
import { Icon } from '../ui/Icon.tsx'
import { IconCopy, IconPlus, IconTrash } from '../ui/icons/icons.ts'
import { notifyDone, notifyError, notifyLeft } from '../ui/notify.ts'
import { StateDot } from '../ui/StateDot.tsx'
import { Table } from '../ui/Table.tsx'
import { Time } from '../ui/Time.tsx'
import { UsageHistory } from '../ui/UsageHistory.tsx'

/** Every part in every state, in the scheme that is chosen. */
export function DesignPage() {
  return (
    <main id="main">
      <Page title="Design" actions={<Scheme />}>
        <Stack gap="lg">
          <Type />
          <Colours />
          <Buttons />
          <Statuses />
          <Section title="Fields">
            <DesignFields />
          </Section>
          <Section title="Dialogs">
            <DesignDialogs />
          </Section>
          <Tables />
          <Notices />
          <States />
          <Codes />
        </Stack>
      </Page>
    </main>
  )
}

function Scheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      aria-label="Theme"
      size="xs"
      value={colorScheme}
      onChange={setColorScheme}
      data={[
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
        { value: 'auto', label: 'System' },
      ]}
    />
  )
}

const SIZES = ['xl', 'lg', 'md', 'sm', 'xs'] as const

const Type = () => (
  <Section title="Type">
    {SIZES.map((size) => (
      <Text key={size} size={size}>
        {size}: 12 devices checked in, <span className="mono">emp_4fK0…</span>
      </Text>
    ))}
    <Text c="dimmed">Quiet words</Text>
  </Section>
)

const MEANINGS = ['accent', 'danger', 'warning', 'success', 'neutral'] as const

const Colours = () => (
  <Section title="Colours that mean something">
    {MEANINGS.map((meaning) => (
      <Group key={meaning} mb="xs">
        <Button color={meaning}>{meaning}</Button>
        <Badge color={meaning}>{meaning}</Badge>
        <Text c={`var(--${meaning}-text)`}>{meaning}</Text>
      </Group>
    ))}
  </Section>
)

const Buttons = () => (
  <Section title="Buttons" message="One primary button in a view; the others are quiet.">
    {['sm', 'compact-sm'].map((size) => (
      <Group key={size} mb="xs">
        <Button size={size} leftSection={<Icon of={IconPlus} />}>
          Primary
        </Button>
        <Button size={size} variant="default" leftSection={<Icon of={IconCopy} />}>
          Secondary
        </Button>
        <Button size={size} variant="subtle" color="neutral">
          Subtle
        </Button>
        <Button size={size} color="danger" leftSection={<Icon of={IconTrash} />}>
          Dangerous
        </Button>
        <Button size={size} disabled>
          Disabled
        </Button>
        <Button size={size} loading>
          Loading
        </Button>
      </Group>
    ))}
  </Section>
)

const ACCESSES: KeyAccess[] = ['ADMIN', 'READ_ONLY', 'DEVICES', 'CHECK_IN']

const Statuses = () => (
  <Section title="Statuses of keys, devices and webhooks">
    <DescriptionList>
      <DescriptionItem name="Access of a key">
        <Group gap="xs">
          {ACCESSES.map((access) => (
            <AccessBadge key={access} apiKey={{ access }} />
          ))}
        </Group>
      </DescriptionItem>
      <DescriptionItem name="Status of a key">
        <Group gap="xs">
          <Badge color="warning">Expires in 6 days</Badge>
          <Badge color="warning">Paused</Badge>
          <Badge>Expired</Badge>
        </Group>
      </DescriptionItem>
      <DescriptionItem name="Status of a device">
        <StateDot state="well" words="Online" /> <StateDot state="half" words="Offline" />{' '}
        <StateDot state="none" words="Never seen" />
      </DescriptionItem>
      <DescriptionItem name="No value">{undefined}</DescriptionItem>
    </DescriptionList>
  </Section>
)

const ROWS = ['hamburg-gateway', 'lyon-camera', 'austin-spare']

const Tables = () => (
  <Section title="Tables">
    <Table label="Devices">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map((name) => (
          <tr key={name}>
            <td>{name}</td>
            <td>
              <StateDot state="well" words="Online" />
            </td>
            <td>
              <Time at={new Date().toISOString()} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  </Section>
)

const Notices = () => (
  <Section title="Notices">
    <Stack gap="xs">
      <Alert color="danger">Danger: something did not work.</Alert>
      <Alert color="warning">Warning: something needs you.</Alert>
      <Alert color="success">Success: something is done.</Alert>
      <Alert color="neutral">Neutral: something to know.</Alert>
      <Group gap="xs">
        <Button variant="default" onClick={() => notifyDone('Key revoked.')}>
          Done
        </Button>
        <Button variant="default" onClick={() => notifyLeft(() => 'One more thing to do.')}>
          Something left
        </Button>
        <Button variant="default" onClick={() => notifyError(new Error('The portal is not responding.'))}>
          Error
        </Button>
      </Group>
    </Stack>
  </Section>
)

const FAILED = new ApiError('Something went wrong.', { code: 'INTERNAL', requestId: '01kb3q8w' })

const States = () => (
  <Section title="Empty, failed, loading">
    <Empty title="No devices yet" action={<Button leftSection={<Icon of={IconPlus} />}>Add device</Button>}>
      Devices appear here once they are added.
    </Empty>
    <ErrorAlert error={FAILED} />
    <Stack mt="md">
      <Skeleton height="var(--row)" />
      <Skeleton height="var(--row)" />
    </Stack>
  </Section>
)

const DAY_MS = 86_400_000
const NOW = Date.now()
const TODAY = NOW - (NOW % DAY_MS)
const USAGE = [3, 8, 2, 12].map((calls, day) => ({
  at: new Date(TODAY - day * DAY_MS).toISOString(),
  calls,
  errors: day,
}))

const Codes = () => (
  <Section title="Code and charts">
    <Text mb="sm">
      Send it in the <Code>api-secret</Code> header.
    </Text>
    <CopyField label="curl" value="curl -H 'api-secret: $API_SECRET' https://portal.example/graphql" />
    <CopyCode label="Document" value={'{\n  devices {\n    totalCount\n  }\n}'} />
    <UsageHistory title="Calls by day" rows={USAGE} window={{ unit: 'DAY', count: 30, now: NOW }} />
    <UsageHistory
      title="Check-ins by day"
      rows={USAGE.map((row) => ({ ...row, errors: 0 }))}
      window={{ unit: 'DAY', count: 30, now: NOW, counted: 'check-in' }}
    />
  </Section>
)
