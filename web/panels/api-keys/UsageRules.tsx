import { Text, Title } from '@mantine/core'

/** What every key holder should know (W5). */
export function UsageRules() {
  return (
    <Text component="section" aria-labelledby="usage-rules" size="sm" c="dimmed" mt="xl">
      <Title order={3} size="sm" id="usage-rules">
        Treat a key like a password
      </Title>
      <ul className="bullets">
        <li>Keep it in an environment variable or a secrets manager, never in source control.</li>
        <li>Use one key per integration, so that you can revoke one without affecting the others.</li>
        <li>Revoke unused keys.</li>
        <li>Rotate keys periodically, and at once if you suspect a leak.</li>
      </ul>
    </Text>
  )
}
