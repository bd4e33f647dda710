import type { Command } from 'commander'
import type { ConnectOptions } from '../api/connect.ts'
import { write } from '../api/graphql-api.ts'
import { addDeviceCommand, byApi, detailsOf, findDevice, ID } from '../devices.ts'
import { type Asking, askFirst } from '../revoking.ts'
import type { Terminal } from '../terminal.ts'

const DELETE = 'mutation ($id: ID!) { deleteDevice(id: $id) }'

export function addDeviceDelete(device: Command, terminal: Terminal): void {
  addDeviceCommand(device, {
    name: 'delete',
    message: 'Delete a device for good. Asks first. Its name can be used again.',
    example: 'device delete 01kp3v9x2m8q4w7r5t1y6n0b3c --org acme-edge',
    argument: ID,
  })
    .option('--yes', 'do not ask')
    .action(
      byApi(terminal, async (api, id: string, options: ConnectOptions & Asking) => {
        const found = await findDevice(api, id)
        const question = `Delete this device?\n\n${detailsOf(found)}\n\nThis is permanent. Answer yes to continue: `
        const otherwise = 'Nothing was deleted: answer yes, or give --yes.'
        await askFirst(terminal, question, { ...options, otherwise })
        await write(api, DELETE, { id })
        return { document: { id, name: found.name }, text: `Deleted ${found.name}, for good.` }
      }),
    )
}
