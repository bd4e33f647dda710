import type { Command } from 'commander'
import { addCommand } from '../command.ts'

export function addServe(program: Command): void {
  addCommand(program, {
    name: 'serve',
    message:
      'Start the portal, and stop it cleanly on SIGTERM. Settings come from variables such as PORT and DATA_DIR.',
    example: 'serve',
  })
    .option('--demo', 'on an empty database, create demo data with a first key; its devices check in by themselves')
    .action(async ({ demo = false }: { demo?: boolean }) => {
      const { superviseIfConfigured } = await import('../../server/process/parent.ts')
      if (superviseIfConfigured()) return
      const { serve } = await import('../../server/main.ts') // only here: it is the slowest part to load
      try {
        await serve({ demo })
      } catch (error) {
        process.channel?.unref() // a worker's connection to the parent would keep it alive
        throw error
      }
    })
}
