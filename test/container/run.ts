import { type SpawnOptions, spawn } from 'node:child_process'

export interface Output {
  code: number
  stdout: string
  stderr: string
}

interface RunOptions {
  timeoutMs?: number
  cwd?: string
  /** Every line as it comes, from either stream. */
  onLine?: (line: string) => unknown
}

/** Runs a program to its end; one that cannot be started, or takes too long, has the code 127 or 124. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Output> {
  const { timeoutMs = 180_000, cwd, onLine } = options
  const spawned: SpawnOptions = { timeout: timeoutMs, killSignal: 'SIGKILL', ...(cwd && { cwd }) }
  const child = spawn(program, args, { ...spawned, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk
      for (const line of chunk.split('\n')) if (onLine && line.trim()) onLine(line)
    })
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 127, ...texts, stderr: error.message }))
    child.on('close', (code, signal) => resolve({ code: code ?? (signal ? 124 : 1), ...texts }))
  })
}

/** Its standard output, or an error with what it printed last. */
export async function runWell(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, options)
  if (code === 0) return stdout.trim()
  const last = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n')
  throw new Error(`${[program, ...args].join(' ')} ended with ${code}:\n${last}`)
}
