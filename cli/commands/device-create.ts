import type { Command } from 'commander'
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
} from '../devices.ts'
import type { Terminal } from '../terminal.ts'

const CREATE = `mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { ${DEVICE_FIELDS} } }`

export function addDeviceCreate(device: Command, terminal: Terminal): void {
  addDeviceOptions(
    addDeviceCommand(device, {
      name: 'create',
      message: 'Add a device. A name that the organization has already is refused.',
      example: 'device create gateway-7 --org acme-edge --tag berlin --tag lora',
      argument: ['<name>', 'its name, unique in the organization'],
    }),
  )
    .option('--disable', 'not meant to be in use yet')
    .action(
      byApi(terminal, async (api, name: string, options: DeviceOptions) => {
        const variables = { input: deviceInput({ ...options, name }) }
        const { createDevice } = await write<{ createDevice: Device }>(api, CREATE, variables)
        return { document: createDevice, text: `Created a device.\n\n${detailsOf(createDevice)}` }
      }),
    )
}
