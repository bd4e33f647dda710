import { lazy } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { unreachable } from '../../api/client.ts'
import { notifyTrouble } from '../../ui/notify.ts'

/** What can lie above the list of keys. */
export type Asked =
  | { to: 'revoke'; apiKey: ListedKey }
  | { to: 'rotate'; apiKey: ListedKey }
  | { to: 'revokeMany'; keys: readonly ListedKey[] }

const LOAD = {
  revoke: () => import('./RevokeKey.tsx'),
  rotate: () => import('./RotateKey.tsx'),
  revokeMany: () => import('./RevokeMany.tsx'),
}

const loaded = new Set<Asked['to']>()

const importSecret = () => import('./SecretDialog.tsx')

/** To be called before a secret is made: nobody gets one that cannot be shown, or whose loss could not be told. */
export const readyForSecret = () =>
  Promise.all([importSecret(), import('./LostKey.tsx')]).catch(() => {
    throw unreachable()
  })

export const SecretDialog = lazy(async () => ({ default: (await importSecret()).SecretDialog }))

export const RevokeKey = lazy(async () => ({ default: (await LOAD.revoke()).RevokeKey }))
export const RotateKey = lazy(async () => ({ default: (await LOAD.rotate()).RotateKey }))
export const RevokeMany = lazy(async () => ({ default: (await LOAD.revokeMany()).RevokeMany }))

/** The code of a dialog comes when somebody reaches for its button. */
export const loadAhead = (to: Asked['to']) =>
  void LOAD[to]().then(
    () => loaded.add(to),
    () => undefined,
  )

/** At once where the code of the dialog is there already; else when it has come, or never, with a word about it. */
export async function ask(asked: Asked, then: (asked: Asked) => void): Promise<void> {
  if (!loaded.has(asked.to)) {
    try {
      await LOAD[asked.to]()
    } catch {
      return notifyTrouble(unreachable())
    }
    loaded.add(asked.to)
  }
  then(asked)
}
