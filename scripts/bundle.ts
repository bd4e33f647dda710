import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')
const PACKAGE = /^node_modules\/((?:@[^/]+\/)?[^/]+)/
const WORKER = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g
const REQUIRE_LATER = 'server/lib/require-later.ts'
/** The only files that may ask where they are: the answer is another one in a bundle. */
const KNOWS_ITS_PLACE = ['installation', 'command-name', 'require-later'].map((name) => `server/lib/${name}.ts`)

/**
 * Writes the server and the command line with everything that they import to one folder, and what is loaded only when it is
 * needed to files of its own. CommonJS: Node.js loads it sooner than modules, and built-in modules without parts that
 * nobody uses. Nothing is minified, so a stack trace has the names of the sources. Returns the bundled packages.
 */
export async function bundle(folder: string): Promise<string[]> {
  const build = await rolldown({
    input: { main: join(ROOT, 'cli', 'main.ts') },
    cwd: ROOT,
    platform: 'node',
    plugins: [ownLoading(), oneGraphql(), asciiOnly()],
    onLog(level, log) {
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message)
    },
  })
  const { output } = await build.write({
    dir: folder,
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: false,
  })
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const packages = modules.flatMap((id) => PACKAGE.exec(relative(ROOT, id))?.[1] ?? [])
  return [...new Set(packages)].sort()
}

/** The file of a thread is an entry of its own, beside the others; what is required later is part of the bundle. */
function ownLoading(): Plugin {
  return {
    name: 'own-loading',
    transform(code, id) {
      const path = relative(ROOT, id)
      if (path.startsWith('node_modules') || !path.endsWith('.ts')) return undefined
      const found = code.replace(WORKER, (_match, name: string) => {
        this.emitFile({ type: 'chunk', id: join(dirname(id), `${name}.ts`), fileName: `${name}.js` })
        return `new URL('./${name}.js', import.meta.url)`
      })
      const others = found.replaceAll(/new URL\('\.\/[\w-]+\.js', import\.meta\.url\)/g, '')
      if (/\bimport\.meta\b/.test(others) && !KNOWS_ITS_PLACE.includes(path))
        throw new Error(`${path} asks where it is: a bundle has it in another place. See server/lib/installation.ts.`)
      return { code: path === REQUIRE_LATER ? found : found.replaceAll(/\brequireLater\(/g, 'require(') }
    },
  }
}

/** Node.js would load `graphql` as CommonJS, for which nothing can be left out; a second copy would not know the types of the first. */
function oneGraphql(): Plugin {
  const folder = join(ROOT, 'node_modules')
  return {
    name: 'one-graphql',
    resolveId(specifier) {
      if (!/^graphql(\/|$)/.test(specifier)) return undefined
      const path = join(folder, specifier.replace(/\.js$/, ''))
      return [`${path}.mjs`, join(path, 'index.mjs')].find(existsSync)
    },
  }
}

/** One character beyond Latin-1 and V8 stores the whole source with two bytes for each. */
function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, output) {
      for (const file of Object.values(output)) {
        if (file.type !== 'chunk') continue
        const raw = /String\.raw`[^`]*[^\p{ASCII}]/u.exec(file.code)
        if (raw) throw new Error(`An escape would change what this says: ${raw[0]}`)
        file.code = file.code.replaceAll(/[^\p{ASCII}]/gu, inEscapes)
      }
    },
  }
}

const inEscapes = (character: string) =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
