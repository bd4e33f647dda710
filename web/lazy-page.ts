import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { notLoaded } from './api/not-loaded.ts'

/** A page whose code is loaded on demand. Offline it says so; with an outdated build, the whole page reloads once. */
export const lazyPage = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazyRouteComponent(() => load().catch(sayWhy), name)

/** The router knows by the browser's own message that a reload may help, and that it has tried; PageError has other words for it. */
async function sayWhy(error: unknown): Promise<never> {
  throw await notLoaded(error instanceof Error ? error.message : undefined)
}

/** The code of a loader: if it cannot be loaded, the page says why. */
export const loaded = <Module>(code: Promise<Module>): Promise<Module> =>
  code.catch(async () => {
    throw await notLoaded()
  })
