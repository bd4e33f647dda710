import { join } from 'node:path'

/** A checkout runs the TypeScript sources, a package the bundle in `dist/`, whose files are all in that folder. */
const isCheckout = import.meta.filename.endsWith('.ts')

const ROOT = join(import.meta.dirname, ...(isCheckout ? ['..', '..'] : ['..']))

export const INSTALLED = {
  /** With `docs/` and the other documents in it. */
  root: ROOT,
  /** The builds of the web interface, each in a folder of its own; `current` names the newest. */
  web: join(ROOT, ...(isCheckout ? ['web', 'dist'] : ['dist', 'web'])),
  commandLine: join(ROOT, ...(isCheckout ? ['cli', 'main.ts'] : ['dist', 'main.js'])),
} as const
