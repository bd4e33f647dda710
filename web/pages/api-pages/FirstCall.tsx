import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { showsApiKeys, type Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { keysOf, paths } from '../../paths.ts'
import { CopyCode } from '../../ui/CopyCode.tsx'
import { CopyField } from '../../ui/CopyField.tsx'
import styles from './ApiLayout.module.css'
import { READ_SECRET, SAMPLES } from './samples.ts'

/** From no key to an answer in three steps. */
export const FirstCall = ({ viewer }: { viewer: Viewer }) => (
  <>
    <Section title="1. Get a key" message="The access “Read only” is enough for these samples.">
      <KeyStep viewer={viewer} />
    </Section>
    <Section
      title="2. Store its secret"
      message="In the environment of your terminal, so that it is in no file and not in the history of the shell: run this command, paste the secret, and press Enter. Nothing is shown as you paste."
    >
      <CopyField label="Command" hidesLabel value={READ_SECRET} />
    </Section>
    <Section
      title="3. Call the API"
      message="In the language of your program. Each sample lists the first five devices."
    >
      <Samples />
    </Section>
  </>
)

/** Where a key comes from, for those who may generate one and for those who have to ask. */
function KeyStep({ viewer }: { viewer: Viewer }) {
  const { role, organization } = viewer
  if (showsApiKeys(viewer)) {
    return (
      <Button component={Link} to={keysOf(organization)} variant="default">
        Generate an API key
      </Button>
    )
  }
  if (role === 'ADMIN') {
    return (
      <Text>
        API keys are switched off. Turn them on in{' '}
        <Anchor component={Link} to={paths.settings(organization.slug)} underline="always">
          Settings
        </Anchor>
        , then generate one.
      </Text>
    )
  }
  return <Text>Ask an Admin of this organization for an API key.</Text>
}

/** A first call in several languages; the one that is shown is part of the address. */
function Samples() {
  const { sample = 'curl' } = useSearch({ from: '/signed-in/$slug/api' })
  const shown = SAMPLES.find(({ id }) => id === sample)
  return (
    <Stack gap="xs">
      <Group component="nav" gap="xs" aria-label="Samples">
        {SAMPLES.map(({ id, name }) => (
          <Link
            key={id}
            from="/$slug/api"
            to="."
            search={{ sample: id }}
            replace
            resetScroll={false}
            className={styles['sample']}
            {...(id === sample && { 'data-active': true, 'aria-current': true })}
          >
            {name}
          </Link>
        ))}
      </Group>
      {shown && (
        <>
          <Text size="sm">{shown.how}</Text>
          <CopyCode key={shown.id} label={`${shown.name} sample`} value={shown.code(endpoint()).trimEnd()} />
        </>
      )}
    </Stack>
  )
}

/** Where programs call this portal. */
export const endpoint = () => `${window.location.origin}/graphql`
