import { Anchor, Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import type { KeyOfPage } from '../../api/api-key.ts'
import type { KeyAccess } from '../../api/key-restrictions.ts'
import { ACCESSES, refusedInWords, suggestionInWords, usedInWords, whatItMay } from '../../components/key-access.ts'
import { Section } from '../../components/Section.tsx'
import { ChangeAccess, NarrowAccess } from '../../forms/api-keys/dialogs.ts'
import { paths } from '../../paths.ts'
import { Table } from '../../ui/Table.tsx'

/** What the key may do, what it does, and the least that it needs for that. */
export function Access({ slug, apiKey }: { slug: string; apiKey: KeyOfPage }) {
  const [dialog, setDialog] = useState<'change' | KeyAccess>()
  const change = useRef<HTMLButtonElement>(null)
  const close = () => setDialog(undefined)
  const suggested = apiKey.suggestedAccess.access
  return (
    <Section
      title="Access"
      message={whatItMay(apiKey)}
      action={
        <Button variant="default" size="compact-sm" ref={change} onClick={() => setDialog('change')}>
          Change access
        </Button>
      }
    >
      <Text>{usedInWords(apiKey)}</Text>
      <Text>{suggestionInWords(apiKey)}</Text>
      {suggested && suggested !== apiKey.access && (
        <Group mt="xs">
          <Button size="compact-sm" onClick={() => setDialog(suggested)}>
            Narrow to {ACCESSES[suggested].name}
          </Button>
        </Group>
      )}
      {apiKey.usedFields.length > 0 && <NarrowerAccesses apiKey={apiKey} />}
      <Suspense>
        {dialog === 'change' && <ChangeAccess slug={slug} apiKey={apiKey} onClose={close} returnTo={change} />}
        {dialog && dialog !== 'change' && (
          <NarrowAccess slug={slug} apiKey={apiKey} access={dialog} onClose={close} returnTo={change} />
        )}
      </Suspense>
    </Section>
  )
}

/** What each narrower access would have refused, for those who want to know why it is not offered. */
function NarrowerAccesses({ apiKey: { suggestedAccess } }: { apiKey: KeyOfPage }) {
  if (suggestedAccess.narrower.length === 0) return null
  return (
    <details>
      <summary>What a narrower access would have refused</summary>
      <Table label="What each access would have refused">
        <thead>
          <tr>
            <th>Access</th>
            <th>Would have been refused</th>
          </tr>
        </thead>
        <tbody>
          {suggestedAccess.narrower.map(({ access, refused }) => (
            <tr key={access}>
              <td className="nowrap">{ACCESSES[access].name}</td>
              <td>{refusedInWords(refused)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  )
}

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
    ...(notBefore ? [`Works from ${moment.format(new Date(notBefore))}.`] : []),
    ...(requestsPerSecond === null ? [] : [`At most ${requestsPerSecond.toLocaleString()} requests a second.`]),
    ...(requestsPerDay === null ? [] : [`At most ${requestsPerDay.toLocaleString()} requests a day (UTC).`]),
  ]
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** The label that the portal gives a key generated without one. */
const isDefaultLabel = (label: string) => /^key-[0-9A-Za-z]{6}$/.test(label)
