import { UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { auth } from '../api/client.ts'
import type { Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { MenuButton } from '../ui/MenuButton.tsx'
import { notifyError } from '../ui/notify.ts'
import styles from './AppShell.module.css'

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
          <span className={styles['initials']} aria-hidden>
            {initialsOf(name)}
          </span>
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

/** "Ada Lovelace" is AL, and "Ada" is AD. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const initials = words.length === 1 ? name.trim().slice(0, 2) : words.map((word) => word.charAt(0)).join('')
  return initials.slice(0, 2).toUpperCase()
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
