import { lazy } from 'react'
import { notLoaded } from '../../../api/not-loaded.ts'
import { loadSecretDialog } from './secret-dialog.ts'

const loadLostKey = () => import('./LostKey.tsx')

/** Await this before generating a secret: the code that shows it, or reports its loss, must be loaded by then. */
export const readyForSecret = () =>
  Promise.all([
    loadSecretDialog(),
    loadLostKey().catch(async () => {
      throw await notLoaded()
    }),
  ])

export const LostKey = lazy(loadLostKey)
