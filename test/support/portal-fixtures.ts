import { openPanelOf, panelOf } from './api-keys-panel.ts'
import { inOrganization, inWorld } from './fixtures.ts'
import { openMailPortal } from './mail-portal.ts'
import { openPortal, type Portal } from './portal-page.ts'

/** One portal with its pages for the tests of a file. Bob is somebody who has joined nothing yet. */
export const inPortal = () => inOnePortal(openPortal)

/** The same, of a portal that sends email. */
export const inMailPortal = () => inOnePortal(openMailPortal)

/** One portal for the tests of a file, and in it an organization of its own for each test. Bob is a Member of it. */
export const inPortalOrganization = () => inPortalOrganizationOf(openPortal)

/** The same, of another portal. */
export const inPortalOrganizationOf = <P extends Portal>(open: () => Promise<P>) =>
  inOrganization(open).extend('portal', { scope: 'file' }, ({ world }) => world)

/** The same, and on the page the Admin of the organization has its API Keys panel open. */
export const inPanel = (options: Parameters<Portal['signIn']>[1] = {}) =>
  inPortalOrganization()
    .extend('page', ({ portal, ada, acme }) => openPanelOf(portal, ada, acme, options))
    .extend('panel', ({ page }) => panelOf(page))

const inOnePortal = <P extends Portal>(open: () => Promise<P>) =>
  inWorld(open)
    .extend('portal', { scope: 'file' }, ({ world }) => world)
    .extend('bob', { scope: 'file' }, ({ world }) => world.signUp('Bob'))
