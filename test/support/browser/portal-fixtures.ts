import { inOrganization, inWorld } from '../world/fixtures.ts'
import { openPanelOf, panelOf } from './api-keys-panel.ts'
import { openMailPortal } from './mail-portal.ts'
import { openPortal, type Portal } from './portal-page.ts'

/** One portal with its pages for the tests of a file. Bob is somebody who has joined nothing yet. */
export const inPortal = () => inOnePortal(openPortal)

/** One portal that sends email, for the tests of a file. */
export const inMailPortal = () => inOnePortal(openMailPortal)

/** One portal for the tests of a file, and in it an organization of its own for each test. Bob is a Member of it. */
export const inPortalOrganization = () => inPortalOrganizationOf(openPortal)

/** An organization of its own for each test, in the portal that `open` starts. */
export const inPortalOrganizationOf = <P extends Portal>(open: () => Promise<P>) =>
  inOrganization(open).extend('portal', { scope: 'file' }, ({ world }) => world)

/** An organization for each test, and a page on which its Admin has the API Keys panel open. */
export const inPanel = (options: Parameters<Portal['signIn']>[1] = {}) =>
  inPortalOrganization()
    .extend('page', ({ portal, ada, acme }) => openPanelOf(portal, ada, acme, options))
    .extend('panel', ({ page }) => panelOf(page))

const inOnePortal = <P extends Portal>(open: () => Promise<P>) =>
  inWorld(open)
    .extend('portal', { scope: 'file' }, ({ world }) => world)
    .extend('bob', { scope: 'file' }, ({ world }) => world.signUp('Bob'))
