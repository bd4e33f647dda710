import type { ListedKey } from '../../api/api-keys.ts'
import { notLoaded } from '../../api/not-loaded.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { notifyError } from '../../ui/notify.ts'

/** The dialogs above the list of keys. */
export type Asked =
  | { to: 'revoke'; apiKey: ListedKey }
  | { to: 'rotate'; apiKey: ListedKey }
  | { to: 'access'; apiKey: ListedKey }
  | { to: 'revokeMany'; keys: readonly ListedKey[]; wereLeft?: boolean }
  | { to: 'reportLeak' }
  | { to: 'canaryKeys' }

const LOAD = {
  revoke: () => import('./revoke/RevokeKey.tsx'),
  rotate: () => import('./RotateKey.tsx'),
  access: () => import('./access/ChangeAccess.tsx'),
  revokeMany: () => import('./revoke/RevokeMany.tsx'),
  reportLeak: () => import('./leaks/ReportLeak.tsx'),
  canaryKeys: () => import('./leaks/CanaryKeys.tsx'),
}

const loaded = new Set<Asked['to']>()

export const RevokeKey = lazyDialog(LOAD.revoke)
export const RotateKey = lazyDialog(LOAD.rotate)
export const ChangeAccess = lazyDialog(LOAD.access)
export const RenameKey = lazyDialog(() => import('./RenameKey.tsx'))
export const NarrowAccess = lazyDialog(() => import('./access/NarrowAccess.tsx'))
export const RevokeMany = lazyDialog(LOAD.revokeMany)
export const ReportLeak = lazyDialog(LOAD.reportLeak)
export const CanaryKeys = lazyDialog(LOAD.canaryKeys)

/** Loads the code of a dialog on hover or focus of its button. */
export const loadAhead = (to: Asked['to']) =>
  void LOAD[to]().then(
    () => loaded.add(to),
    () => undefined,
  )

/** Opens a dialog: at once if its code is loaded, else afterwards, or shows an error. */
export async function ask(asked: Asked, then: (asked: Asked) => void): Promise<void> {
  if (!loaded.has(asked.to)) {
    try {
      await LOAD[asked.to]()
    } catch {
      return notifyError(await notLoaded())
    }
    loaded.add(asked.to)
  }
  then(asked)
}
