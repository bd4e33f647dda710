import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../sources.ts'
import { temporaryFolder } from './portal-process.ts'

const run = promisify(execFile)

/** What Node.js says of a file that it loads, with NODE_DEBUG_NATIVE=COMPILE_CACHE. */
const LOADED = /V8 code cache for CommonJS .*\/dist\/([^/]+)\.js was accepted/g
const WRITTEN = /writing cache for CommonJS .*\/dist\/([^/]+)\.js/g

export interface Start {
  stdout: string
  /** Files whose compiled code was loaded, and files whose compiled code was stored. */
  loaded: string[]
  stored: string[]
}

/** What a start says about compiled code. */
export const compiledIn = (stderr: string): Omit<Start, 'stdout'> => ({
  loaded: namesIn(stderr, LOADED),
  stored: namesIn(stderr, WRITTEN),
})

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name).sort()

export const TELL_COMPILED = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }

/** A package with the portal's own `bin`, and two files in `dist` that print one word each, in no time. */
export function smallPackage() {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'dist', 'package.json'), '{ "type": "commonjs" }')
  const write = (word: string) => {
    const file = (name: string, more: string) =>
      writeFileSync(
        join(folder, 'dist', `${name}.js`),
        `function say() { console.log('${name} ${word}') } say()\n${more}`,
      )
    file('main', "require('./part.js')")
    file('part', '')
  }
  write('one')
  return {
    /** Another version of it in the same place, of the same length. */
    write,
    /** To its end. `before` is put before the command. */
    async start(
      dataDir: string,
      {
        command = 'serve',
        env = {},
        before = [],
      }: { command?: string; env?: Record<string, string>; before?: string[] } = {},
    ): Promise<Start> {
      const [program = '', ...args] = [...before, process.execPath, join(folder, 'bin', 'portal.js'), command]
      const { stdout, stderr } = await run(program, args, {
        cwd: folder,
        env: { DATA_DIR: dataDir, ...TELL_COMPILED, ...env },
      })
      return { stdout, ...compiledIn(stderr) }
    },
  }
}

/** Each file below a folder with its size and the time of its last change. */
export function filesBelow(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.map((name) => ({ name, stat: statSync(join(folder, name)) })).filter(({ stat }) => stat.isFile())
  return new Map(files.map(({ name, stat }) => [name, `${stat.size} ${stat.mtimeMs}`]))
}
