import { type Command, InvalidArgumentError } from 'commander'
import { addRemoteOptions, type ConnectOptions, withApi } from './api/connect.ts'
import { type Api, dataOf } from './api/graphql-api.ts'
import { type Answer, addCommand, answering } from './command.ts'
import { detailLines } from './table.ts'
import type { Terminal } from './terminal.ts'
import { readableTime } from './time.ts'

/** A device as the API has it. */
export interface Device {
  id: string
  name: string
  description: string | null
  enabled: boolean
  status: 'ONLINE' | 'OFFLINE' | 'NEVER_SEEN'
  firmwareVersion: string | null
  tags: string[]
  location: Location | null
  lastSeenAt: string | null
  createdAt: string
  updatedAt: string
}

interface Location {
  name: string | null
  address: string | null
  latitude: number | null
  longitude: number | null
  timeZone: string | null
}

export const DEVICE_FIELDS = `id name description enabled status firmwareVersion tags
  location { name address latitude longitude timeZone } lastSeenAt createdAt updatedAt`

interface Description {
  name: string
  message: string
  example: string
  argument?: [name: string, description: string]
}

/** A command about devices: of the organization `--org` in this database, or of a portal elsewhere. */
export function addDeviceCommand(group: Command, { argument, ...description }: Description): Command {
  const command = addCommand(group, description)
  if (argument) command.argument(...argument)
  return addRemoteOptions(command.option('--org <slug>', 'without --remote: the organization'))
}

/** Its action: `work` gets the API, and then what commander passes on. */
export const byApi = <Args extends unknown[]>(terminal: Terminal, work: (api: Api, ...args: Args) => Promise<Answer>) =>
  answering(terminal, (...args: [...Args, ...unknown[]]) => {
    const command = args.at(-1) as Command // commander passes itself last
    return withApi(terminal, command.opts<ConnectOptions>(), (api) => work(api, ...(args as unknown as Args)))
  })

export const ID: [name: string, description: string] = ['<id>', 'the device: device list shows its id']

const SHOW = `query ($id: ID!) { device(id: $id) { ${DEVICE_FIELDS} } }`

export async function findDevice(api: Api, id: string): Promise<Device> {
  const { device } = await dataOf<{ device: Device }>(api, { query: SHOW, variables: { id } })
  return device
}

/** Everything about a device, a line each. */
export function detailsOf(device: Device): string {
  const { location } = device
  return detailLines({
    name: device.name,
    id: device.id,
    status: `${statusOf(device)}${device.enabled ? '' : ', disabled'}`,
    'last seen': readableTime(device.lastSeenAt),
    firmware: device.firmwareVersion ?? '-',
    tags: device.tags.join(', ') || '-',
    ...(device.description !== null && { description: device.description }),
    ...(location && { location: locationInWords(location) }),
    created: readableTime(device.createdAt),
    changed: readableTime(device.updatedAt),
  })
}

/** `online`, `offline` or `never seen`. */
export const statusOf = ({ status }: Device) => status.toLowerCase().replace('_', ' ')

function locationInWords({ name, address, latitude, longitude, timeZone }: Location): string {
  const place = latitude === null || longitude === null ? null : `${latitude}, ${longitude}`
  return [name, address, place, timeZone].filter((part) => part !== null).join('; ') || '-'
}

/** What a device is to be; the same options for a new one and for a change. */
export interface DeviceOptions extends ConnectOptions {
  name?: string
  description?: string
  firmware?: string
  tag?: string[]
  enable?: boolean
  disable?: boolean
  locationName?: string
  address?: string
  latitude?: number
  longitude?: number
  timeZone?: string
}

export const addDeviceOptions = (command: Command): Command =>
  command
    .option('--description <text>', 'what it is; "" takes it away')
    .option('--firmware <version>', 'the firmware version; "" takes it away')
    .option('--tag <tag>', 'a tag, in place of all that it has; may be repeated', collect)
    .option('--location-name <name>', 'where it is, in place of the whole location')
    .option('--address <address>', 'the address of the location')
    .option('--latitude <degrees>', 'the latitude of the location', parseDegrees)
    .option('--longitude <degrees>', 'the longitude of the location', parseDegrees)
    .option('--time-zone <zone>', 'the time zone of the location, such as Europe/Berlin')

export const collect = (each: string, before: string[] = []): string[] => [...before, each]

function parseDegrees(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Give degrees, such as 52.52.')
  return Number(text)
}

/** What is not given stays away, so that a change leaves it. */
export function deviceInput(options: DeviceOptions): Record<string, unknown> {
  const { name, description, firmware, tag, enable, disable, address, latitude, longitude, timeZone } = options
  const place = { name: options.locationName, address, latitude, longitude, timeZone }
  const location = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined))
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description || null }),
    ...(firmware !== undefined && { firmwareVersion: firmware || null }),
    ...(tag && { tags: tag.filter((each) => each !== '') }),
    ...((enable || disable) && { enabled: enable === true }),
    ...(Object.keys(location).length > 0 && { location }),
  }
}
