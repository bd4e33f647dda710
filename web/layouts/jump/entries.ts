import type { Found } from '../../api/jump.ts'
import { showsApiKeys, type Viewer } from '../../api/viewer.ts'
import { keysOf, paths } from '../../paths.ts'
import { type Section, sections } from '../sections.ts'

/** What the shell opens by itself. */
export type Action = 'addDevice' | 'inviteUser' | 'createOrganization' | 'shortcuts'

/** A line of the list: where it leads, or what it opens. */
export interface Entry {
  group: 'Pages' | 'Actions' | 'Devices' | 'API keys' | 'People'
  label: string
  hint?: string
  target: { to: string } | { opens: Action }
}

/** The pages and actions whose words begin with those of the text; all of them without a text. */
export function knownEntries(viewer: Viewer, text: string): Entry[] {
  const wanted = wordsOf(text)
  return [...pages(viewer), ...generateKey(viewer), ...actions(viewer)].filter(({ label }) =>
    wanted.every((word) => wordsOf(label).some((known) => known.startsWith(word))),
  )
}

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean)

function pages(viewer: Viewer): Entry[] {
  const { slug } = viewer.organization
  const isAdmin = viewer.role === 'ADMIN'
  const all: Pick<Section, 'label' | 'to'>[] = [
    ...sections(viewer),
    { label: 'API reference', to: paths.apiReference(slug) },
    { label: 'API explorer', to: paths.apiExplorer(slug) },
    ...(isAdmin ? [{ label: 'Webhooks', to: paths.webhooks(slug) }] : []),
    { label: 'Profile', to: paths.profile(slug) },
  ]
  return all.map(({ label, to }) => ({ group: 'Pages', label, target: { to } }))
}

/** Leads to the panel, whose focus is on the button. */
const generateKey = (viewer: Viewer): Entry[] =>
  showsApiKeys(viewer) ? [{ group: 'Actions', label: 'Generate key', target: { to: keysOf(viewer.organization) } }] : []

function actions({ role, organization }: Viewer): Entry[] {
  const isAdmin = role === 'ADMIN'
  const all: [string, Action][] = [
    ...(isAdmin ? ([['Add device', 'addDevice']] as [string, Action][]) : []),
    ...(isAdmin && organization.kind === 'ORGANIZATION' ? ([['Invite user', 'inviteUser']] as [string, Action][]) : []),
    ['Create organization', 'createOrganization'],
    ['Show keyboard shortcuts', 'shortcuts'],
  ]
  return all.map(([label, opens]) => ({ group: 'Actions', label, target: { opens } }))
}

export function foundEntries({ organization }: Viewer, { devices, apiKeys, users }: Found): Entry[] {
  const { slug } = organization
  return [
    ...devices.map(
      ({ id, name, status }): Entry => ({
        group: 'Devices',
        label: name,
        hint: status.toLowerCase(),
        target: { to: paths.device(slug, id) },
      }),
    ),
    ...apiKeys.map(
      ({ id, label, prefix }): Entry => ({
        group: 'API keys',
        label,
        hint: `${prefix}…`,
        target: { to: paths.apiKey(slug, id) },
      }),
    ),
    ...users.map(
      ({ name, email }): Entry => ({
        group: 'People',
        label: name,
        hint: email,
        target: { to: paths.user(slug, email) },
      }),
    ),
  ]
}
