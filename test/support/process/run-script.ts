import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What a script prints that runs as a module in a process of its own, for what holds for a whole process. */
export async function runScript(script: string, args: string[] = [], flags: string[] = []): Promise<string> {
  const all = [...flags, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script, ...args]
  return (await promisify(execFile)(process.execPath, all)).stdout
}
