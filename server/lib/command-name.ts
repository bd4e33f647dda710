/** How to call the command line: `portal` in an installed package; through npx in a checkout, which runs the TypeScript sources. */
export const PORTAL = import.meta.filename.endsWith('.ts') ? 'npx portal' : 'portal'
