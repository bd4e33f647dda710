import { run } from './run.ts'

process.stdout.on('error', () => process.exit(1)) // whoever was reading has gone

process.exitCode = await run(process.argv.slice(2), process)
