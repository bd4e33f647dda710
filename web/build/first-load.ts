import type { Plugin, Rolldown } from 'vite'

type OutputBundle = Rolldown.OutputBundle
type OutputChunk = Rolldown.OutputChunk

const KEYS = 'pages/ApiKeysPanel.tsx'

/** What each route loads on top of main.tsx before its page is there; test/e2e/first-load.all.test.ts finds what is missing. */
export const LOADED_BY_ROUTE: Record<string, readonly string[]> = {
  '/': ['pages/OverviewPage.tsx'], // where it leads
  '/sign-in': ['pages/SignInPage.tsx'],
  '/sign-up': ['pages/SignUpPage.tsx'],
  '/forgot-password': ['pages/ForgotPasswordPage.tsx'],
  '/reset-password': ['pages/ResetPasswordPage.tsx'],
  '/verify-email': ['pages/VerifyEmailPage.tsx'],
  '/invitations': ['pages/InvitationPage.tsx'],
  '/support': ['pages/SupportPage.tsx'],
  '/$slug/overview': ['pages/OverviewPage.tsx'],
  '/$slug/devices': ['pages/DevicesPage.tsx'],
  '/$slug/devices/$id': ['pages/DevicePage.tsx'],
  '/$slug/users': ['pages/UsersPage.tsx'],
  '/$slug/users/api-keys': ['pages/UsersPage.tsx', KEYS],
  '/$slug/profile': ['pages/ProfilePage.tsx'],
  '/$slug/profile/api-keys': ['pages/ProfilePage.tsx', KEYS],
  '/$slug/api-keys': ['pages/ApiKeysPage.tsx'],
  '/$slug/api-keys/$id': ['pages/ApiKeyPage.tsx'],
  '/$slug/api-keys/$id/changes': ['pages/ApiKeyChangesPage.tsx'],
  '/$slug/api': ['pages/ApiPage.tsx'],
  '/$slug/api/explorer': ['pages/ApiExplorerPage.tsx'],
  '/$slug/api/reference': ['pages/ApiReferencePage.tsx'],
  '/$slug/settings': ['pages/SettingsPage.tsx'],
  '/$slug/settings/webhooks': ['pages/WebhooksPage.tsx'],
  '/$slug/settings/webhooks/$id': ['pages/WebhookPage.tsx'],
  '/$slug/audit': ['pages/AuditPage.tsx'],
}

export type Modules = Pick<Rolldown.PluginContext, 'getModuleInfo'>

const FIRST = ['main.tsx', ...Object.values(LOADED_BY_ROUTE).flat()]

/** Whether a page needs this module before it is there; if not, a dialog brings it. */
export function isLoadedFirst(id: string, modules: Modules, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  if (FIRST.some((module) => id.replaceAll('\\', '/').endsWith(`/web/${module}`))) return true
  return modules.getModuleInfo(id)?.importers.some((importer) => isLoadedFirst(importer, modules, seen)) ?? false
}

/** Writes first-load.json, from which the server tells the browser what a page is about to need: see server/http/web.ts. */
export const firstLoad = (): Plugin => ({
  name: 'first-load',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.fromEntries(
      Object.entries(LOADED_BY_ROUTE).map(([route, modules]) => [route, filesOf(bundle, modules)]),
    )
    this.emitFile({ type: 'asset', fileName: 'first-load.json', source: JSON.stringify(files) })
  },
})

/** The scripts of these modules, with all that they import. */
function filesOf(bundle: OutputBundle, modules: readonly string[]): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const wanted = modules.map((module) => chunkWith(chunks, module))
  const all = new Set<OutputChunk>()
  const add = (chunk: OutputChunk) => {
    if (all.has(chunk)) return
    all.add(chunk)
    for (const file of chunk.imports) {
      const imported = bundle[file]
      if (imported?.type === 'chunk') add(imported)
    }
  }
  for (const chunk of [...chunks.filter(({ isEntry }) => isEntry), ...wanted]) add(chunk)
  return [...all].map(({ fileName }) => fileName)
}

function chunkWith(chunks: OutputChunk[], module: string): OutputChunk {
  const chunk = chunks.find(({ moduleIds }) =>
    moduleIds.some((id) => id.replaceAll('\\', '/').endsWith(`/web/${module}`)),
  )
  if (!chunk) throw new Error(`first-load.ts names ${module}, which no script contains.`)
  return chunk
}
