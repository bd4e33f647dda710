import { Stack, Text } from '@mantine/core'
import type { Viewer } from '../../api/viewer.ts'
import { RenameAccount } from '../../forms/organizations/RenameAccount.tsx'

/** What the account is called, and where it is found; the name is the Admin's to change. */
export function AccountName({ organization, isAdmin }: { organization: Viewer['organization']; isAdmin: boolean }) {
  const { slug, name } = organization
  const address = (
    <div>
      <Text size="sm" fw={600}>
        Slug
      </Text>
      <Text className="mono">{slug}</Text>
      <Text size="sm" c="dimmed">
        Used in web addresses. It stays the same when the name changes.
      </Text>
    </div>
  )
  if (isAdmin) return <RenameAccount organization={organization}>{address}</RenameAccount>
  return (
    <Stack>
      <div>
        <Text size="sm" fw={600}>
          Name
        </Text>
        <Text>{name}</Text>
        <Text size="sm" c="dimmed">
          An Admin can change it.
        </Text>
      </div>
      {address}
    </Stack>
  )
}
