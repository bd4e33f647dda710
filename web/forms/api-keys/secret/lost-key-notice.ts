import { lazy } from 'react'
import { unreachable } from '../../../api/client.ts'
import { loadSecretDialog } from './secret-dialog.ts'

const loadLostKey = () => import('./LostKey.tsx')

/** Await this before generating a secret: the code that shows it, or reports its loss, must be loaded by then. */
export const readyForSecret = () =>
  Promise.all([
    loadSecretDialog(),
    loadLostKey().catch(() => {
      throw unreachable()
    }),
  ])

export const LostKey = lazy(loadLostKey)
