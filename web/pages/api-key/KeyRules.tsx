import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeyOfPage } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'
import styles from './KeyRules.module.css'

/** The rules that this key is held to: those of the account, or older ones that it keeps. */
export function KeyRules({ slug, apiKey }: { slug: string; apiKey: KeyOfPage }) {
  const rules = rulesInWords(apiKey)
  const settings = (
    <Anchor component={Link} to={paths.settings(slug)} inherit underline="always">
      Settings
    </Anchor>
  )
  return (
    <Section title="Rules" says={<>The rules for new keys are in {settings}.</>}>
      {rules.length === 0 ? (
        <Text>This key is held to none.</Text>
      ) : (
        <ul className={styles['rules']} aria-label="Rules of this key">
          {rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function rulesInWords({ label, policy }: KeyOfPage): string[] {
  const { allowedNetworks, keysManageKeys, refuseBrowsers, labelRequired } = policy
  return [
    ...(allowedNetworks.length > 0 ? [`It works only from ${allowedNetworks.join(', ')}.`] : []),
    ...(keysManageKeys ? [] : ['It may not generate, rename, rotate or revoke keys.']),
    ...(refuseBrowsers ? ['Calls that come from a browser are refused.'] : []),
    ...(labelRequired && isMadeUp(label) ? ['It needs a label that somebody chose: rename it.'] : []),
  ]
}

/** As a key is called that was made without a label. */
const isMadeUp = (label: string) => /^Key of \d{4}-\d{2}-\d{2} \d{2}:\d{2}$/.test(label)
