/** How people call the command line: `portal` where the package is installed, by npx in a checkout, which runs the sources. */
export const PORTAL = import.meta.filename.endsWith('.ts') ? 'npx portal' : 'portal'
