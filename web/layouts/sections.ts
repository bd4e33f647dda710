import { showsApiKeys, type Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import {
  type Drawing,
  IconCode,
  IconCpu,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconLifebuoy,
  IconSettings,
  IconUsers,
} from '../ui/icons/icons.ts'

export interface Section {
  label: string
  to: string
  icon: Drawing
}

/** Only the pages that the role may open; a personal account has no Users page. */
export function sections(viewer: Viewer): Section[] {
  const { role, organization, support } = viewer
  const { slug, kind } = organization
  return [
    { label: 'Overview', to: paths.overview(slug), icon: IconLayoutDashboard },
    { label: 'Devices', to: paths.devices(slug), icon: IconCpu },
    ...(kind === 'ORGANIZATION' ? [{ label: 'Users', to: paths.users(slug), icon: IconUsers }] : []),
    ...(showsApiKeys(viewer) ? [{ label: 'Keys', to: paths.apiKeys(slug), icon: IconKey }] : []),
    { label: 'API', to: paths.api(slug), icon: IconCode },
    ...(role === 'ADMIN' ? [{ label: 'Audit', to: paths.audit(slug), icon: IconHistory }] : []),
    { label: 'Settings', to: paths.settings(slug), icon: IconSettings },
    ...(support ? [{ label: 'Support', to: paths.support(), icon: IconLifebuoy }] : []),
  ]
}
