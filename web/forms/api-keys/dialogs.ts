import type { ListedKey } from '../../api/api-keys.ts'
import { notLoaded } from '../../api/not-loaded.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { notifyError } from '../../ui/notify.ts'

/** A dialog above the list of keys, with what it needs. */
export type OpenDialog =
  | { kind: 'revoke'; apiKey: ListedKey }
  | { kind: 'rotate'; apiKey: ListedKey }
  | { kind: 'access'; apiKey: ListedKey }
  | { kind: 'revokeMany'; keys: readonly ListedKey[]; wereLeft?: boolean }
  | { kind: 'reportLeak' }
  | { kind: 'canaryKeys' }

const LOAD = {
  revoke: () => import('./revoke/RevokeKey.tsx'),
  rotate: () => import('./RotateKey.tsx'),
  access: () => import('./access/ChangeAccess.tsx'),
  revokeMany: () => import('./revoke/RevokeMany.tsx'),
  reportLeak: () => import('./leaks/ReportLeak.tsx'),
  canaryKeys: () => import('./leaks/CanaryKeys.tsx'),
}

const loaded = new Set<OpenDialog['kind']>()

export const RevokeKey = lazyDialog(LOAD.revoke)
export const RotateKey = lazyDialog(LOAD.rotate)
export const ChangeAccess = lazyDialog(LOAD.access)
export const RenameKey = lazyDialog(() => import('./RenameKey.tsx'))
export const NarrowAccess = lazyDialog(() => import('./access/NarrowAccess.tsx'))
export const RevokeMany = lazyDialog(LOAD.revokeMany)
export const ReportLeak = lazyDialog(LOAD.reportLeak)
export const CanaryKeys = lazyDialog(LOAD.canaryKeys)

/** Loads the code of a dialog on hover or focus of its button. */
export const loadAhead = (kind: OpenDialog['kind']) =>
  void LOAD[kind]().then(
    () => loaded.add(kind),
    () => undefined,
  )

/** Opens a dialog: at once if its code is loaded, else afterwards, or shows an error. */
export async function openDialog(dialog: OpenDialog, show: (dialog: OpenDialog) => void): Promise<void> {
  if (!loaded.has(dialog.kind)) {
    try {
      await LOAD[dialog.kind]()
    } catch {
      return notifyError(await notLoaded())
    }
    loaded.add(dialog.kind)
  }
  show(dialog)
}
