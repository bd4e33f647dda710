import type { Command } from 'commander'
import { addDeviceCommand, byApi, detailsOf, findDevice, ID } from '../devices.ts'
import type { Terminal } from '../terminal.ts'

export function addDeviceShow(device: Command, terminal: Terminal): void {
  addDeviceCommand(device, {
    name: 'show',
    message: 'Show everything about a device.',
    example: 'device show 01kp3v9x2m8q4w7r5t1y6n0b3c --org acme-edge',
    argument: ID,
  }).action(
    byApi(terminal, async (api, id: string) => {
      const found = await findDevice(api, id)
      return { document: found, text: detailsOf(found) }
    }),
  )
}
