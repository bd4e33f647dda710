import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runWell } from './run.ts'

/** What the sources have: the versions that this machine has installed may not be among them. */
const AS_IF_NONE_INSTALLED = ['-o', 'Dir::State::status=/dev/null']
const DEPENDS = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`)

/** A folder with these Debian packages and all that they need, unpacked and not configured: no root, no debootstrap. */
export async function makeDebianRoot(folder: string, packages: string[]): Promise<string> {
  const [debs, root] = [join(folder, 'debs'), join(folder, 'root')]
  mkdirSync(debs, { recursive: true })
  mergeUsr(root)
  const listed = await runWell('apt-cache', [...AS_IF_NONE_INSTALLED, 'depends', '--recurse', ...DEPENDS, ...packages])
  const names = new Set(listed.split('\n').filter((line) => /^[a-z0-9]/.test(line) && !line.includes(':')))
  await runWell('apt-get', [...AS_IF_NONE_INSTALLED, 'download', '-q', ...names], { cwd: debs, timeoutMs: 300_000 })
  for (const deb of readdirSync(debs)) {
    const unpack =
      'dpkg-deb --fsys-tarfile "$1" | tar --extract --keep-directory-symlink --no-same-owner --directory "$2"'
    await runWell('sh', ['-c', unpack, 'sh', join(debs, deb), root])
  }
  mkdirSync(join(root, 'tmp'), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  // The authorities that this machine trusts: it may reach npm by way of one that is its own.
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true })
  cpSync('/etc/ssl/certs/ca-certificates.crt', join(root, 'etc/ssl/certs/ca-certificates.crt'))
  return root
}

function mergeUsr(root: string): void {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', name), { recursive: true })
    symlinkSync(`usr/${name}`, join(root, name))
  }
}
