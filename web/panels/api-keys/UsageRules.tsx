import { Text, Title } from '@mantine/core'
import styles from './UsageRules.module.css'

/** What whoever holds a key has to know, in few words (W5). */
export function UsageRules() {
  return (
    <Text component="section" aria-labelledby="usage-rules" size="sm" c="dimmed" mt="xl">
      <Title order={3} size="sm" id="usage-rules">
        Treat a key as a password
      </Title>
      <ul className={styles['rules']}>
        <li>Keep it in an environment variable or a secrets manager, never in source control.</li>
        <li>One key per integration, so that you can revoke one without harm to the others.</li>
        <li>Revoke what is unused.</li>
        <li>Rotate keys periodically, and at once on suspicion.</li>
      </ul>
    </Text>
  )
}
