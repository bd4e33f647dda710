import { execFileSync } from 'node:child_process'

const onWindows = process.platform === 'win32'

/** Runs npm; returns its stdout, and passes its stderr through. */
export const npm = (args: string[], { cwd }: { cwd: string }): string =>
  execFileSync(onWindows ? 'npm.cmd' : 'npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: onWindows,
    maxBuffer: 64 * 1024 * 1024,
  })
