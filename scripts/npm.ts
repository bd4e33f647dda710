import { execFileSync } from 'node:child_process'

const onWindows = process.platform === 'win32'

/** Runs npm to its end; gives what it printed. What it has to say beside that is for whoever looks on. */
export const npm = (args: string[], { cwd }: { cwd: string }): string =>
  execFileSync(onWindows ? 'npm.cmd' : 'npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: onWindows,
    maxBuffer: 64 * 1024 * 1024,
  })
