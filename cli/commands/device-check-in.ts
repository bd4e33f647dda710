import type { Command } from 'commander'
import type { ConnectOptions } from '../api/connect.ts'
import { write } from '../api/graphql-api.ts'
import { addDeviceCommand, byApi, DEVICE_FIELDS, type Device, ID } from '../devices.ts'
import type { Terminal } from '../terminal.ts'
import { readableTime } from '../time.ts'

const CHECK_IN = `mutation ($id: ID!, $input: CheckInDeviceInput) {
  checkInDevice(id: $id, input: $input) { ${DEVICE_FIELDS} } }`

export function addDeviceCheckIn(device: Command, terminal: Terminal): void {
  addDeviceCommand(device, {
    name: 'check-in',
    message: 'Report that a device is alive, in its place: it is online for five minutes.',
    example: 'device check-in 01kp3v9x2m8q4w7r5t1y6n0b3c --remote https://portal.example.com --firmware 2.4.1',
    argument: ID,
  })
    .option('--firmware <version>', 'the firmware version that it has now')
    .action(
      byApi(terminal, async (api, id: string, { firmware }: ConnectOptions & { firmware?: string }) => {
        const input = firmware === undefined ? undefined : { firmwareVersion: firmware }
        const { checkInDevice } = await write<{ checkInDevice: Device }>(api, CHECK_IN, { id, input })
        const { name, lastSeenAt } = checkInDevice
        const at = readableTime(lastSeenAt)
        return { document: checkInDevice, text: `${name} checked in at ${at}.` }
      }),
    )
}
