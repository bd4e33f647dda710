import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeyOfPage } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'

/** What this key is restricted to: the policy of the account, or an older one that still applies to it. */
export function KeyRules({ slug, apiKey }: { slug: string; apiKey: KeyOfPage }) {
  const rules = rulesInWords(apiKey)
  const settings = (
    <Anchor component={Link} to={paths.settings(slug)} inherit underline="always">
      Settings
    </Anchor>
  )
  return (
    <Section title="Restrictions" message={<>The policy for new keys is in {settings}.</>}>
      {rules.length === 0 ? (
        <Text>No restrictions.</Text>
      ) : (
        <ul className="bullets" aria-label="Restrictions of this key">
          {rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function rulesInWords({ label, policy }: KeyOfPage): string[] {
  const { allowedNetworks, allowKeyManagement, rejectBrowsers, labelRequired } = policy
  return [
    ...(allowedNetworks.length > 0 ? [`Works only from ${allowedNetworks.join(', ')}.`] : []),
    ...(allowKeyManagement ? [] : ['Cannot generate, rename, rotate or revoke keys.']),
    ...(rejectBrowsers ? ['Calls from browsers are rejected.'] : []),
    ...(labelRequired && isDefaultLabel(label) ? ['Requires a label: rename the key.'] : []),
  ]
}

/** The label that the portal gives a key generated without one. */
const isDefaultLabel = (label: string) => /^Key of \d{4}-\d{2}-\d{2} \d{2}:\d{2}$/.test(label)
