import { type Command, InvalidArgumentError, Option } from 'commander'
import { systemClock } from '../../server/lib/clock.ts'
import { MAX_PAGE_SIZE } from '../../server/lib/page.ts'
import type { ConnectOptions } from '../api/connect.ts'
import { type Api, dataOf } from '../api/graphql-api.ts'
import { addDeviceCommand, byApi, collect, DEVICE_FIELDS, type Device, statusOf } from '../devices.ts'
import { cut, table } from '../table.ts'
import { print, printJson, type Terminal } from '../terminal.ts'
import { shortLength } from '../time.ts'

const DEFAULT_LIMIT = 1_000
const HEADINGS = ['id', 'name', 'status', 'last seen', 'firmware', 'tags']
const STATUSES = ['ONLINE', 'OFFLINE', 'NEVER_SEEN']

const LIST = `query ($first: Int!, $after: String, $filter: DeviceFilter) {
  devices(first: $first, after: $after, filter: $filter) {
    data { ${DEVICE_FIELDS} } pageInfo { hasNextPage endCursor } } }`

interface Options extends ConnectOptions {
  search?: string
  tag?: string[]
  status?: string
  enabled?: boolean
  disabled?: boolean
  limit?: number
}

interface Found {
  devices: Device[]
  hasMore: boolean
}

export function addDeviceList(device: Command, terminal: Terminal): void {
  addDeviceCommand(device, {
    name: 'list',
    message: 'List devices by name: their status, firmware and tags.',
    example: 'device list --org acme-edge --tag berlin',
  })
    .option('--search <text>', 'only those with this text in their name')
    .option('--tag <tag>', 'only those with this tag; may be repeated', collect)
    .addOption(
      new Option('--status <status>', 'only those of this status').choices(STATUSES).argParser((text) => {
        const status = STATUSES.find((each) => each === text.toUpperCase().replace('-', '_'))
        if (status) return status
        throw new InvalidArgumentError(`Give one of ${STATUSES.join(', ')}.`)
      }),
    )
    .addOption(new Option('--enabled', 'only those that are enabled').conflicts('disabled'))
    .option('--disabled', 'only those that are disabled')
    .option('--limit <count>', `how many at most (default: ${DEFAULT_LIMIT})`, parseCount)
    .action(
      byApi(terminal, async (api, options: Options) => {
        const { devices, hasMore } = await allDevices(api, options)
        if (hasMore) warn(terminal, `There are more than these ${devices.length}: give --limit.`)
        return {
          document: devices,
          text: devices.length === 0 ? 'No devices.' : table(HEADINGS, devices.map(cellsOf)),
        }
      }),
    )
}

async function allDevices(api: Api, { limit = DEFAULT_LIMIT, ...options }: Options): Promise<Found> {
  const devices: Device[] = []
  for (let after: string | null = null; ; ) {
    const first = Math.min(MAX_PAGE_SIZE, limit - devices.length)
    const variables = { first, after, filter: filterOf(options) }
    const page: Page = (await dataOf<{ devices: Page }>(api, { query: LIST, variables })).devices
    devices.push(...page.data)
    after = page.pageInfo.endCursor
    if (!page.pageInfo.hasNextPage || devices.length >= limit) return { devices, hasMore: page.pageInfo.hasNextPage }
  }
}

interface Page {
  data: Device[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** Undefined without a condition: a filter costs more. */
function filterOf({ search, tag, status, enabled, disabled }: Options): object | undefined {
  const isEnabled = enabled ? true : disabled ? false : undefined
  if ([search, tag, status, isEnabled].every((condition) => condition === undefined)) return undefined
  return { nameContains: search, tags: tag, status, enabled: isEnabled }
}

const cellsOf = (device: Device) => [
  device.id,
  cut(device.name, 30),
  `${statusOf(device)}${device.enabled ? '' : ', disabled'}`,
  device.lastSeenAt === null
    ? 'never'
    : `${shortLength(Math.max(0, systemClock() - Date.parse(device.lastSeenAt)))} ago`,
  cut(device.firmwareVersion ?? '-', 12),
  cut(device.tags.join(', ') || '-', 25),
]

function warn({ stderr, json }: Terminal, warning: string): void {
  if (json) printJson(stderr, { warning })
  else print(stderr, `${warning}\n`)
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Give a whole number, 1 to 9999999.')
  return Number(text)
}
