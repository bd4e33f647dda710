import { Anchor, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { showsApiKeys, type Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { keysOf, paths } from '../../paths.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import styles from './ApiLayout.module.css'
import { READ_SECRET, SAMPLES } from './samples.ts'

/** From no key to an answer in three steps. */
export const FirstCall = ({ viewer }: { viewer: Viewer }) => (
  <Section title="First call">
    <ol className={styles['steps']}>
      <li>
        <KeyStep viewer={viewer} />
      </li>
      <li>
        <Stack gap="xs">
          <Text>
            Put its secret into the environment of your terminal, so that it is in no file and not in the history of the
            shell: run this command, paste the secret, and press Enter. Nothing is shown as you paste.
          </Text>
          <CopyField label="Command" value={READ_SECRET} />
        </Stack>
      </li>
      <li>
        <Stack gap="xs">
          <Text>Call the API.</Text>
          <Samples />
        </Stack>
      </li>
    </ol>
  </Section>
)

/** Where a key comes from, for those who may generate one and for those who have to ask. */
function KeyStep({ viewer }: { viewer: Viewer }) {
  const { role, organization } = viewer
  if (showsApiKeys(viewer)) {
    return (
      <Text>
        <Anchor component={Link} to={keysOf(organization)} underline="always">
          Generate an API key
        </Anchor>
        . The access “Read only” is enough for these samples.
      </Text>
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
  return (
    <Text>Ask an Admin of this organization for an API key. The access “Read only” is enough for these samples.</Text>
  )
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
          <CodeField key={shown.id} label={`${shown.name} sample`} code={shown.code(endpoint())} />
        </>
      )}
    </Stack>
  )
}

/** Code to copy. Long lines scroll inside it. */
function CodeField({ label, code }: { label: string; code: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { copied, copy } = useCopy(field)
  return (
    <Stack gap="xs">
      <Textarea
        ref={field}
        aria-label={label}
        value={code.trimEnd()}
        readOnly
        rows={code.trimEnd().split('\n').length}
        wrap="off"
        spellCheck={false}
        classNames={{ input: 'mono' }}
        styles={{ input: { fontSize: 'var(--text-xs)', overflowX: 'auto' } }}
      />
      <Group justify="flex-end">
        <Button variant="default" size="xs" onClick={() => copy(code)} aria-label={`Copy ${label}`}>
          <span aria-live="polite">
            {copied === 'done' ? 'Copied' : copied === 'refused' ? 'Press Ctrl+C' : 'Copy'}
          </span>
        </Button>
      </Group>
    </Stack>
  )
}

/** Where programs call this portal. */
export const endpoint = () => `${window.location.origin}/graphql`
