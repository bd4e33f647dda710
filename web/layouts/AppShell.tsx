import { Group, Anchor as MantineAnchor } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useViewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { AccountSwitcher } from './AccountSwitcher.tsx'
import styles from './AppShell.module.css'
import { LazyKeyNotices } from './LazyKeyNotices.tsx'

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
            <img src="/icon.svg" alt="" width={28} height={28} />
          </Link>
          <AccountSwitcher viewer={viewer} />
        </Group>
        <nav aria-label="Main" className={styles['nav']}>
          {sections(viewer).map(([label, to]) => (
            <Link
              key={label}
              to={to}
              className={styles['link']}
              activeProps={{ 'data-active': true, 'aria-current': 'page' }}
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className={styles['me']}>
          <AccountMenu viewer={viewer} slug={slug} />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      {viewer.role === 'ADMIN' && <LazyKeyNotices key={viewer.organization.id} organization={viewer.organization} />}
    </>
  )
}

/** Only the pages that the role may open; a personal account has no Users page. */
function sections({ role, organization, support }: ReturnType<typeof useViewer>): [string, string][] {
  const { slug, kind } = organization
  return [
    ['Overview', paths.overview(slug)],
    ['Devices', paths.devices(slug)],
    ...(kind === 'ORGANIZATION' ? ([['Users', paths.users(slug)]] as [string, string][]) : []),
    ['API', paths.api(slug)],
    ...(role === 'ADMIN' ? ([['Audit', paths.audit(slug)]] as [string, string][]) : []),
    ['Settings', paths.settings(slug)],
    ...(support ? ([['Support', paths.support()]] as [string, string][]) : []),
  ]
}
