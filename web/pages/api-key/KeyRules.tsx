import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeyOfPage } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'

/** What this key is restricted to: what was chosen for it, and the policy of the account, or an older one that still applies. */
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

function rulesInWords({ label, policy, ...own }: KeyOfPage): string[] {
  const { allowedNetworks, allowKeyManagement, rejectBrowsers, labelRequired } = policy
  return [
    ...ownRulesInWords(own),
    ...(allowedNetworks.length > 0 ? [`Works only from ${allowedNetworks.join(', ')}.`] : []),
    ...(allowKeyManagement ? [] : ['Cannot generate, rename, rotate or revoke keys.']),
    ...(rejectBrowsers ? ['Calls from browsers are rejected.'] : []),
    ...(labelRequired && isDefaultLabel(label) ? ['Requires a label: rename the key.'] : []),
  ]
}

type OwnRules = Pick<KeyOfPage, 'access' | 'allowedNetworks' | 'notBefore' | 'requestsPerSecond' | 'requestsPerDay'>

/** What was chosen for this key alone. Its access has a section of its own. */
function ownRulesInWords({ allowedNetworks, notBefore, requestsPerSecond, requestsPerDay }: OwnRules): string[] {
  return [
    ...(allowedNetworks.length > 0 ? [`This key works only from ${allowedNetworks.join(', ')}.`] : []),
    ...(notBefore ? [`Works from ${moment.format(new Date(notBefore))} on.`] : []),
    ...(requestsPerSecond === null ? [] : [`At most ${requestsPerSecond.toLocaleString()} requests a second.`]),
    ...(requestsPerDay === null ? [] : [`At most ${requestsPerDay.toLocaleString()} requests a day (UTC).`]),
  ]
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** The label that the portal gives a key generated without one. */
const isDefaultLabel = (label: string) => /^Key of \d{4}-\d{2}-\d{2} \d{2}:\d{2}$/.test(label)
