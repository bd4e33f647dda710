import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Runs the server and Vite, both with reload; when one ends, so does the other. */
const children = [
  start('--watch', 'cli/main.ts', 'serve', '--demo'),
  start('node_modules/vite/bin/vite.js', '--config', 'web/vite.config.ts'),
]
for (const child of children) child.on('exit', stop)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
console.log('The pages, with reload: http://localhost:5173. The server behind them: http://127.0.0.1:4000.')

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
}

function stop(): void {
  for (const child of children) child.kill('SIGTERM')
}
