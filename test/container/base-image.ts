import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/sources.ts'
import { makeDebianRoot } from './debian-root.ts'
import { type Engine, hasImage, tryTo } from './engine.ts'
import { importRoot } from './import-root.ts'
import { runWell } from './run.ts'

const NPM = 'npm@11'
const MADE_HERE = `localhost/portal-test-base:${process.arch}`

/** What `Containerfile` is built on unless told otherwise. */
const officialBase = () =>
  /^ARG BASE=(\S+)/m.exec(readFileSync(join(ROOT, 'Containerfile'), 'utf8'))?.[1] ?? 'docker.io/library/node:24-slim'

/** The name of a base image that is there: the official one, or where no registry can be reached one made from packages. */
export async function provideBase(engine: Engine, say: (words: string) => void): Promise<string> {
  const official = officialBase()
  for (const image of [official, MADE_HERE]) if (await hasImage(engine, image)) return image
  if ((await tryTo(engine, ['pull', '-q', official], { timeoutMs: 300_000 })).code === 0) return official
  say(`no registry gives ${official}: making a base from Debian packages and npm's Node.js`)
  const folder = mkdtempSync(join(tmpdir(), 'portal-base-'))
  try {
    const root = await makeRoot(folder)
    await importRoot(engine, root, MADE_HERE, ['ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return MADE_HERE
}

/** As much of node:24-slim as a build and the portal ask for. */
async function makeRoot(folder: string): Promise<string> {
  const root = await makeDebianRoot(folder, ['dash', 'coreutils', 'libstdc++6', 'tar', 'gzip'])
  const [programs, modules] = [join(root, 'usr/local/bin'), join(root, 'usr/local/lib/node_modules')]
  mkdirSync(programs, { recursive: true })
  cpSync(join(ROOT, `node_modules/node-linux-${process.arch}/bin/node`), join(programs, 'node'))
  await runWell('npm', ['pack', '--silent', '--pack-destination', folder, NPM], { timeoutMs: 300_000 })
  mkdirSync(join(modules, 'npm'), { recursive: true })
  await runWell('sh', [
    '-c',
    'tar -xzf "$1"/npm-*.tgz --strip-components=1 -C "$2"',
    'sh',
    folder,
    join(modules, 'npm'),
  ])
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(programs, name))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  return root
}
