import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type RevokedKeyOfPage, revokedKeyQuery } from '../../api/api-key.ts'
import type { Viewer } from '../../api/viewer.ts'
import { DescriptionItem, DescriptionList } from '../../components/DescriptionList.tsx'
import { Page } from '../../components/Page.tsx'
import { paths } from '../../paths.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Time } from '../../ui/Time.tsx'
import { CallList } from './Calls.tsx'

interface KeyGoneProps {
  id: string
  organization: Viewer['organization']
  toKeys: ReactNode
}

/** In place of a key that went while somebody looked at it: when, by whom and why, and its last calls. */
export function KeyGone({ id, organization, toKeys }: KeyGoneProps) {
  const { data: revoked } = useQuery(revokedKeyQuery(organization.slug, id))
  return (
    <Page title="This key no longer exists" of={organization.name}>
      {revoked && <Removal revoked={revoked} />}
      <Empty title="Calls with it are refused" action={toKeys}>
        It was revoked, or removed after it expired. See the{' '}
        <Anchor component={Link} to={paths.audit(organization.slug)} inherit underline="always">
          audit log
        </Anchor>{' '}
        for details.
      </Empty>
      {revoked && <CallList calls={revoked.recentCalls} />}
    </Page>
  )
}

const Removal = ({ revoked: { label, revokedAt, revokedBy, reason } }: { revoked: RevokedKeyOfPage }) => (
  <DescriptionList>
    <DescriptionItem name="Label">{label}</DescriptionItem>
    <DescriptionItem name="Revoked">
      <Time at={revokedAt} />
    </DescriptionItem>
    <DescriptionItem name="Revoked by">{revokedBy.name}</DescriptionItem>
    <DescriptionItem name="Reason">{reason}</DescriptionItem>
  </DescriptionList>
)
