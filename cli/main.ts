import { createProgram } from './program.ts'
import { tellTrouble } from './trouble.ts'

process.stdout.on('error', () => process.exit(1)) // whoever was reading has gone

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = tellTrouble(error, { json: process.argv.includes('--json') })
}
