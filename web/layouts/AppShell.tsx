import {
  Button,
  Group,
  Anchor as MantineAnchor,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { auth } from '../api/client.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { Icon } from '../ui/Icon.tsx'
import { IconChevronDown, IconLogout, IconPlus, IconUser } from '../ui/icons/icons.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { MenuButton } from '../ui/MenuButton.tsx'
import { notifyError } from '../ui/notify.ts'
import styles from './AppShell.module.css'
import { Jump } from './jump/Jump.tsx'
import { KeyNotices } from './KeyNotices.tsx'
import { sections } from './sections.ts'

/** The layout of every signed-in page: account switcher, navigation, account menu. */
export function AppShell() {
  const viewer = useViewer()
  const { slug } = viewer.organization
  return (
    <>
      <MantineAnchor href="#main" className={styles['skip'] ?? ''}>
        Skip to content
      </MantineAnchor>
      <header className={styles['header']}>
        <Group gap="sm" wrap="nowrap" className={styles['account']}>
          <Link to={paths.home()} aria-label="Home" className={styles['logo']}>
            <img src="/icon.svg" alt="" className="logo" />
          </Link>
          <AccountSwitcher viewer={viewer} />
        </Group>
        <nav aria-label="Main" className={styles['nav']}>
          {sections(viewer).map(({ label, to, icon }) => (
            <Link
              key={label}
              to={to}
              className={styles['link']}
              activeProps={{ 'data-active': true, 'aria-current': 'page' }}
            >
              <Icon of={icon} />
              {label}
            </Link>
          ))}
        </nav>
        <div className={styles['me']}>
          <Jump />
          <AccountMenu viewer={viewer} slug={slug} />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      {viewer.role === 'ADMIN' && <KeyNotices key={viewer.organization.id} organization={viewer.organization} />}
    </>
  )
}

const SCHEMES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'System'],
] as const

/** Your own menu: profile, theme, sign out. */
function AccountMenu({ viewer, slug }: { viewer: Viewer; slug: string }) {
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
        <UnstyledButton p="var(--space-1)">
          <VisuallyHidden>Account menu: {name}</VisuallyHidden>
          <span className={styles['initials']} aria-hidden>
            {initialsOf(name)}
          </span>
        </UnstyledButton>
      }
      entries={[
        { heading: email },
        { label: 'Profile', icon: IconUser, to: paths.profile(slug) },
        'line',
        { heading: 'Theme' },
        ...themes,
        'line',
        { label: 'Sign out', icon: IconLogout, act: signOut },
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

const CreateOrganization = lazyDialog(() => import('../forms/organizations/CreateOrganization.tsx'))

/** The current account, and the others to switch to. */
function AccountSwitcher({ viewer: { organization, organizations } }: { viewer: Viewer }) {
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
        button={
          <Button
            variant="subtle"
            color="neutral"
            c="var(--text)"
            px="xs"
            maw="var(--width-narrow)"
            miw={0}
            classNames={{ label: 'ellipsis' }}
            aria-label={`Account: ${organization.name}`}
            rightSection={<Icon of={IconChevronDown} />}
          >
            {organization.name}
          </Button>
        }
        entries={[
          { heading: 'Accounts' },
          ...accounts,
          'line',
          { label: 'Create organization', icon: IconPlus, act: () => setCreating(true) },
        ]}
      />
      <Suspense>{creating && <CreateOrganization onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
