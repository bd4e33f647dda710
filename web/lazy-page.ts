import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { unreachable } from './api/client.ts'
import { notLoaded } from './api/not-loaded.ts'
import { isReachable } from './api/reach.ts'

/** A page whose code is loaded on demand. Offline it says so; with an outdated build, the whole page reloads. */
export const lazyPage = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazyRouteComponent(() => load().catch(orUnreachable), name)

async function orUnreachable(error: unknown): Promise<never> {
  throw (await isReachable()) ? error : unreachable()
}

/** The code of a loader: if it cannot be loaded, the page says why. */
export const loaded = <Module>(code: Promise<Module>): Promise<Module> =>
  code.catch(async () => {
    throw await notLoaded()
  })
