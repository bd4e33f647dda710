import { type Command, Option } from 'commander'
import { badInput } from '../../server/lib/check.ts'
import { write } from '../api/graphql-api.ts'
import {
  addDeviceCommand,
  addDeviceOptions,
  byApi,
  DEVICE_FIELDS,
  type Device,
  type DeviceOptions,
  detailsOf,
  deviceInput,
  ID,
} from '../devices.ts'
import type { Terminal } from '../terminal.ts'

const UPDATE = `mutation ($id: ID!, $input: UpdateDeviceInput!) {
  updateDevice(id: $id, input: $input) { ${DEVICE_FIELDS} } }`

export function addDeviceUpdate(device: Command, terminal: Terminal): void {
  addDeviceOptions(
    addDeviceCommand(device, {
      name: 'update',
      message: 'Change a device: what is given changes, everything else stays. A location is replaced as a whole.',
      example: 'device update 01kp3v9x2m8q4w7r5t1y6n0b3c --org acme-edge --firmware 2.4.1',
      argument: ID,
    }),
  )
    .option('--name <name>', 'a new name')
    .addOption(new Option('--enable', 'meant to be in use').conflicts('disable'))
    .option('--disable', 'not meant to be in use')
    .action(
      byApi(terminal, async (api, id: string, options: DeviceOptions) => {
        const input = deviceInput(options)
        if (Object.keys(input).length === 0) throw badInput('input', 'Say what is to change: see --help.')
        const { updateDevice } = await write<{ updateDevice: Device }>(api, UPDATE, { id, input })
        return { document: updateDevice, text: detailsOf(updateDevice) }
      }),
    )
}
