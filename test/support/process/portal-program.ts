import { join } from 'node:path'
import { inject } from 'vitest'
import { ROOT } from '../sources.ts'

/** The program of `portal` in a checkout, which runs the sources. */
export const FROM_SOURCES = join(ROOT, 'bin', 'portal.js')

/** As a package has it, where the project of a test bundles it: see bundle-setup.ts. */
export const PORTAL_PROGRAM = (process.env['VITEST'] && inject('portal')) || FROM_SOURCES // as a script there is nothing to inject
