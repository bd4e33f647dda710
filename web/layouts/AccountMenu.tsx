import { Avatar, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { auth } from '../api/client.ts'
import type { Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { MenuButton } from '../ui/MenuButton.tsx'
import { notifyError } from '../ui/notify.ts'

const SCHEMES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'System'],
] as const

/** Your own menu: profile, theme, sign out. */
export function AccountMenu({ viewer, slug }: { viewer: Viewer; slug: string }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { name = '', email = '' } = viewer.user ?? {}
  const themes = SCHEMES.map(([scheme, label]) => ({
    label,
    act: () => setColorScheme(scheme),
    checked: scheme === colorScheme,
  }))
  return (
    <MenuButton
      position="bottom-end"
      button={
        <UnstyledButton p={4}>
          <VisuallyHidden>Account menu: {name}</VisuallyHidden>
          <Avatar name={name} color="cyan" variant="filled" size={32} aria-hidden />
        </UnstyledButton>
      }
      entries={[
        { heading: email },
        { label: 'Profile', to: paths.profile(slug) },
        'line',
        { heading: 'Theme' },
        ...themes,
        'line',
        { label: 'Sign out', act: signOut },
      ]}
    />
  )
}

/** Signs out and reloads the page, so that nothing stays in memory. */
async function signOut(): Promise<void> {
  try {
    await auth('sign-out', {})
    window.location.replace(paths.signIn())
  } catch (error) {
    if (error instanceof Error) notifyError(error)
  }
}
