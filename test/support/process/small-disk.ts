import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const KIB = 1024

/** A file system of its own in memory. */
function mount(folder: string, kib: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k,mode=700`, 'tmpfs', folder], { stdio: 'ignore' })
}

const unmount = (folder: string) => execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' })

/** Whether this machine lets us mount one: as root on Linux, and not in every container. */
export const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  try {
    mount(folder, KIB)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})()

/** A small disk that can be filled to the last byte. */
export function smallDisk(kib: number) {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  mount(folder, kib)
  onTestFinished(() => {
    unmount(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  const filler = join(folder, 'filler')
  return {
    folder,
    /** Leaves no room at all. */
    fill: () => {
      const file = openSync(filler, 'a')
      for (const bytes of [64 * KIB, KIB, 1]) {
        try {
          while (writeSync(file, Buffer.alloc(bytes)) === bytes);
        } catch {
          // full for pieces of this size
        }
      }
      closeSync(file)
    },
    makeRoom: () => rmSync(filler),
  }
}
