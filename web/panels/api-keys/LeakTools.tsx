import { Button, Group, Text, Title } from '@mantine/core'
import { type Asked, loadAhead } from '../../forms/api-keys/dialogs.ts'

/** For when a secret gets into the wrong hands, and to learn of it. */
export function LeakTools({ onAsk }: { onAsk: (asked: Asked) => void }) {
  return (
    <section aria-labelledby="leak-tools">
      <Title order={3} size="sm" id="leak-tools" mt="xl">
        Leaks
      </Title>
      <Text size="sm" c="dimmed">
        Report a secret that others can read, and find out who reads what they should not.
      </Text>
      <Group gap="xs" mt="xs">
        <Tool to="reportLeak" onAsk={onAsk}>
          Report a leaked key
        </Tool>
        <Tool to="canaryKeys" onAsk={onAsk}>
          Canary keys
        </Tool>
      </Group>
    </section>
  )
}

const Tool = (props: { to: 'reportLeak' | 'canaryKeys'; onAsk: (asked: Asked) => void; children: string }) => (
  <Button
    variant="default"
    size="xs"
    onClick={() => props.onAsk({ to: props.to })}
    onFocus={() => loadAhead(props.to)}
    onMouseEnter={() => loadAhead(props.to)}
  >
    {props.children}
  </Button>
)
