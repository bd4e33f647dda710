import { Button, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'

const CreateOrganization = lazy(() => import('./CreateOrganization.tsx'))

/** Which account you are in, and the others that you may enter. */
export function AccountSwitcher({ viewer }: { viewer: Viewer }) {
  const navigate = useNavigate()
  const [creating, setCreating] = useState(false)
  const { organization, organizations } = viewer
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <Button variant="subtle" color="gray" px="xs" aria-label={`Account: ${organization.name}`} maw={260} miw={0}>
            {organization.name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          {organizations.map(({ id, slug, name, kind }) => (
            <Menu.Item
              key={id}
              onClick={() => navigate({ href: paths.devices(slug) })}
              fw={id === organization.id ? 600 : undefined}
              aria-current={id === organization.id ? 'true' : undefined}
              rightSection={kind === 'PERSONAL' ? <small>Personal</small> : undefined}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setCreating(true)}>Create organization</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{creating && <CreateOrganization onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
