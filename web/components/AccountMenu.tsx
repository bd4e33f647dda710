import { ActionIcon, Avatar, Menu, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { auth } from '../api/client.ts'
import type { Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { notifyTrouble } from '../ui/notify.ts'

const SCHEMES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'As the system'],
] as const

/** Your own menu: profile, theme, sign out. */
export function AccountMenu({ viewer, slug }: { viewer: Viewer; slug: string }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const name = viewer.user?.name ?? ''

  const signOut = async () => {
    try {
      await auth('sign-out', {})
      queryClient.clear()
      await navigate({ href: paths.signIn() })
    } catch (error) {
      if (error instanceof Error) notifyTrouble(error)
    }
  }

  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="transparent" size="lg" aria-label={`Your menu: ${name}`}>
          <Avatar name={name} color="cyan" size={32} alt="" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{viewer.user?.email}</Menu.Label>
        <Menu.Item onClick={() => navigate({ href: paths.profile(slug) })}>Profile</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        {SCHEMES.map(([scheme, label]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            fw={scheme === colorScheme ? 600 : undefined}
            aria-current={scheme === colorScheme ? 'true' : undefined}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
