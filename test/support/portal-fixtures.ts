import { inWorld } from './fixtures.ts'
import { openPortal } from './portal-page.ts'

/** One portal with its pages for the tests of a file. Bob is somebody who has joined nothing yet. */
export const inPortal = () =>
  inWorld(openPortal)
    .extend('portal', { scope: 'file' }, ({ world }) => world)
    .extend('bob', { scope: 'file' }, ({ world }) => world.signUp('Bob'))
