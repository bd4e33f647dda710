import type { Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'

export interface Section {
  label: string
  to: string
}

/** Only the pages that the role may open; a personal account has no Users page. */
export function sections({ role, organization, support }: Viewer): Section[] {
  const { slug, kind } = organization
  return [
    { label: 'Overview', to: paths.overview(slug) },
    { label: 'Devices', to: paths.devices(slug) },
    ...(kind === 'ORGANIZATION' ? [{ label: 'Users', to: paths.users(slug) }] : []),
    { label: 'API', to: paths.api(slug) },
    ...(role === 'ADMIN' ? [{ label: 'Audit', to: paths.audit(slug) }] : []),
    { label: 'Settings', to: paths.settings(slug) },
    ...(support ? [{ label: 'Support', to: paths.support() }] : []),
  ]
}
