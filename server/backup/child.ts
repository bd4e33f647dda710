import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { INSTALLED } from '../lib/installation.ts'

/** Runs a command of `portal` with the settings of this process, with less of the processor when it is scarce. */
export async function runCommand(args: readonly string[], onStart: (child: ChildProcess) => void): Promise<unknown> {
  const child = spawn(process.execPath, [INSTALLED.commandLine, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onStart(child)
  yieldToOthers(child)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)])
  if (child.exitCode !== 0)
    throw new Error(messageIn(stderr) ?? `It was stopped (${child.signalCode ?? child.exitCode}).`)
  return JSON.parse(stdout)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

function yieldToOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // not permitted, or it is gone already
  }
}

function messageIn(stderr: string): string | undefined {
  try {
    return JSON.parse(stderr).error.message
  } catch {
    return stderr.trim() || undefined
  }
}
