import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiKeysQuery, type ListedKey } from '../../api/api-keys.ts'
import { type Descendant, descendantsQuery } from '../../api/descendants.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import styles from './Lineage.module.css'

/** Which keys this one generated, and what those did. */
export function Lineage({ slug, id }: { slug: string; id: string }) {
  const { data: descendants = [] } = useQuery(descendantsQuery(slug, id))
  const { data: keys = [] } = useQuery({ ...apiKeysQuery(slug), enabled: descendants.length > 0 })
  if (descendants.length === 0) return null
  const byParent = Map.groupBy(descendants, ({ parentId }) => parentId)
  const known = new Map(keys.map((key) => [key.id, key]))
  return (
    <Section title="Keys that it generated" says="Directly, or through one another.">
      <Branch slug={slug} parentId={id} byParent={byParent} known={known} />
    </Section>
  )
}

interface BranchProps {
  slug: string
  parentId: string
  byParent: Map<string, Descendant[]>
  /** What the list says of each. */
  known: Map<string, ListedKey>
}

function Branch({ slug, parentId, byParent, known }: BranchProps) {
  const made = byParent.get(parentId)
  if (!made) return null
  return (
    <ul className={styles['branch']}>
      {made.map(({ id, label }) => (
        <li key={id}>
          <Anchor component={Link} to={paths.apiKey(slug, id)} inherit underline="always">
            {label}
          </Anchor>
          <Said of={known.get(id)} />
          <Branch slug={slug} parentId={id} byParent={byParent} known={known} />
        </li>
      ))}
    </ul>
  )
}

function Said({ of }: { of: ListedKey | undefined }) {
  if (!of) return null
  return (
    <Text span size="sm" c="dimmed">
      {' '}
      <span className="mono">{of.prefix}…</span> ·{' '}
      {of.expired ? 'ended' : of.lastUsedAt ? <LastUsed at={of.lastUsedAt} /> : 'never used'}
    </Text>
  )
}

const LastUsed = ({ at }: { at: string }) => (
  <>
    last used <Time at={at} />
  </>
)
