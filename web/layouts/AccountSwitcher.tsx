import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { ChevronIcon } from '../ui/icons.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { MenuButton } from '../ui/MenuButton.tsx'

const CreateOrganization = lazyDialog(() => import('../forms/organizations/CreateOrganization.tsx'))

/** The current account, and the others to switch to. */
export function AccountSwitcher({ viewer: { organization, organizations } }: { viewer: Viewer }) {
  const [creating, setCreating] = useState(false)
  const accounts = organizations.map(({ id, slug, name, kind }) => ({
    label: kind === 'PERSONAL' ? `${name} (personal)` : name,
    to: paths.overview(slug),
    current: id === organization.id,
  }))
  return (
    <>
      <MenuButton
        position="bottom-start"
        width={260}
        button={
          <Button
            variant="subtle"
            color="gray"
            c="var(--mantine-color-text)"
            px="xs"
            maw={260}
            miw={0}
            classNames={{ label: 'ellipsis' }}
            aria-label={`Account: ${organization.name}`}
            rightSection={<ChevronIcon />}
          >
            {organization.name}
          </Button>
        }
        entries={[
          { heading: 'Accounts' },
          ...accounts,
          'line',
          { label: 'Create organization', act: () => setCreating(true) },
        ]}
      />
      <Suspense>{creating && <CreateOrganization onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
