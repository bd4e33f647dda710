import { Group, Anchor as MantineAnchor } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useViewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { AccountSwitcher } from './AccountSwitcher.tsx'
import { EndingKeysLater } from './EndingKeysLater.tsx'
import styles from './Frame.module.css'

/** Around every page behind the sign-in: where you are, where you can go, who you are. */
export function Frame() {
  const viewer = useViewer()
  const { slug } = viewer.organization
  return (
    <>
      <MantineAnchor href="#main" className={styles['skip'] ?? ''}>
        Skip to content
      </MantineAnchor>
      <header className={styles['header']}>
        <Group gap="sm" wrap="nowrap" className={styles['account']}>
          <Link to={paths.home()} aria-label="Start" className={styles['logo']}>
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
      {viewer.role === 'ADMIN' && <EndingKeysLater key={viewer.organization.id} organization={viewer.organization} />}
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  )
}

/** What a role may not use is absent; a personal account has no Users page. */
function sections({ role, organization, support }: ReturnType<typeof useViewer>): [string, string][] {
  const { slug, kind } = organization
  return [
    ['Devices', paths.devices(slug)],
    ...(kind === 'ORGANIZATION' ? ([['Users', paths.users(slug)]] as [string, string][]) : []),
    ...(role === 'ADMIN' ? ([['Audit', paths.audit(slug)]] as [string, string][]) : []),
    ['Settings', paths.settings(slug)],
    ...(support ? ([['Support', paths.support()]] as [string, string][]) : []),
  ]
}
