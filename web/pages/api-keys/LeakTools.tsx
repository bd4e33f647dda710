import { Button, Group, Text, Title } from '@mantine/core'
import { loadAhead, type OpenDialog } from '../../forms/api-keys/dialogs.ts'

/** For when a secret gets into the wrong hands, and to learn of it. */
export function LeakTools({ onOpen }: { onOpen: (dialog: OpenDialog) => void }) {
  return (
    <section aria-labelledby="leak-tools">
      <Title order={2} size="sm" id="leak-tools" mt="xl">
        Leaks
      </Title>
      <Text size="sm" c="dimmed">
        Revoke a leaked key, or plant a decoy.
      </Text>
      <Group gap="xs" mt="xs">
        <Tool kind="reportLeak" onOpen={onOpen}>
          Report a leaked key
        </Tool>
        <Tool kind="canaryKeys" onOpen={onOpen}>
          Canary keys
        </Tool>
      </Group>
    </section>
  )
}

const Tool = (props: { kind: 'reportLeak' | 'canaryKeys'; onOpen: (dialog: OpenDialog) => void; children: string }) => (
  <Button
    variant="default"
    size="xs"
    onClick={() => props.onOpen({ kind: props.kind })}
    onFocus={() => loadAhead(props.kind)}
    onMouseEnter={() => loadAhead(props.kind)}
  >
    {props.children}
  </Button>
)
