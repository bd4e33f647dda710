import { spawn, spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** Whether a pseudo terminal can be opened here: by script(1) of util-linux. */
export const hasTerminals = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')

/** Runs a command of a shell, which leads its session, on a terminal of its own. Returns what closes that terminal. */
export function startOnTerminal(command: string, env: Record<string, string | undefined>): () => void {
  const terminal = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
  })
  const close = () => terminal.kill('SIGKILL')
  onTestFinished(() => void close())
  return close
}
