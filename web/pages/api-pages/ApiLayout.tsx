import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Viewer } from '../../api/viewer.ts'
import { Page } from '../../components/Page.tsx'
import { paths } from '../../paths.ts'
import styles from './ApiLayout.module.css'

interface ApiLayoutProps {
  /** For the heading, and the title of the window. */
  title: string
  viewer: Viewer
  children: ReactNode
}

/** The pages about the API, side by side. The explorer is big: its link loads nothing before it is followed. */
export function ApiLayout({ title, viewer: { organization }, children }: ApiLayoutProps) {
  const { slug, name } = organization
  return (
    <Page title={title} of={name}>
      <nav aria-label="API" className={styles['tabs']}>
        <Tab to={paths.api(slug)}>Get started</Tab>
        <Tab to={paths.apiExplorer(slug)} preload={false}>
          Explorer
        </Tab>
        <Tab to={paths.apiReference(slug)}>Reference</Tab>
      </nav>
      {children}
    </Page>
  )
}

const Tab = ({ to, preload = 'intent', children }: { to: string; preload?: false | 'intent'; children: ReactNode }) => (
  <Link
    to={to}
    preload={preload}
    className={styles['tab']}
    activeOptions={{ exact: true, includeSearch: false }}
    activeProps={{ 'data-active': true, 'aria-current': 'page' }}
  >
    {children}
  </Link>
)
