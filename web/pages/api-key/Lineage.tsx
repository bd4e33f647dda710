import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Descendant, KeyOfPage } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import styles from './Lineage.module.css'

/** Which keys this one made, and what those made. */
export function Lineage({ slug, apiKey: { id, descendants } }: { slug: string; apiKey: KeyOfPage }) {
  if (descendants.data.length === 0) return null
  const byParent = Map.groupBy(descendants.data, ({ parentId }) => parentId)
  return (
    <Section title="Keys that it made" says="Directly, or through one another.">
      <Branch slug={slug} parentId={id} byParent={byParent} />
    </Section>
  )
}

interface BranchProps {
  slug: string
  parentId: string
  byParent: Map<string, Descendant[]>
}

function Branch({ slug, parentId, byParent }: BranchProps) {
  const made = byParent.get(parentId)
  if (!made) return null
  return (
    <ul className={styles['branch']}>
      {made.map((apiKey) => (
        <li key={apiKey.id}>
          <Anchor component={Link} to={paths.apiKey(slug, apiKey.id)} inherit underline="always">
            {apiKey.label}
          </Anchor>
          <Text span size="sm" c="dimmed">
            {' '}
            <span className="mono">{apiKey.prefix}…</span> ·{' '}
            {apiKey.expired ? 'ended' : apiKey.lastUsedAt ? <LastUsed at={apiKey.lastUsedAt} /> : 'never used'}
          </Text>
          <Branch slug={slug} parentId={apiKey.id} byParent={byParent} />
        </li>
      ))}
    </ul>
  )
}

const LastUsed = ({ at }: { at: string }) => (
  <>
    last used <Time at={at} />
  </>
)
