import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import { EVERY_ACCESS } from '../caller/key-rules.ts'
import { builder } from '../graphql/builder.ts'
import { COST_OF_COUNT } from '../graphql/cost.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { inputArg, range, text, upTo } from '../graphql/domain.ts'
import { listType, pageArgs, SortDirectionType } from '../graphql/list-type.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { MAX_TEXT } from '../lib/check.ts'
import { MAX_PAGE_SIZE } from '../lib/page.ts'
import { boundDevice, checkInDevice, createDevice, deleteDevice, updateDevice } from './device.ts'
import { checkDeviceChanges, checkNewDevice, MAX_TAGS } from './device-input.ts'
import { CheckInDeviceInput, CreateDeviceInput, tagList, UpdateDeviceInput } from './device-inputs.graphql.ts'
import type { DeviceOrderField } from './device-order.ts'
import { type DeviceStatus, statusOf } from './device-status.ts'
import { type DevicePage, listDevices, MAX_COUNT_UP_TO } from './list-devices.ts'
import { type Device, findDevice, type Location, locationOf, tagsOf } from './stored-device.ts'

const DeviceStatusType = describedEnum<DeviceStatus>('DeviceStatus', 'Whether a device has checked in recently.', {
  ONLINE: 'It has checked in within the last five minutes.',
  OFFLINE: 'Its last check-in is more than five minutes ago.',
  NEVER_SEEN: 'It has not checked in yet.',
})

const LocationType = builder.objectRef<Location>('Location').implement({
  description: 'Where a device is. What is not known is null.',
  fields: (t) =>
    plainFields(t, EVERY_ACCESS, {
      'name: String': 'The name of the place, such as `Lyon`.',
      'address: String': 'The postal address, in any form.',
      'latitude: Float': 'Degrees, −90 to 90, the north positive.',
      'longitude: Float': 'Degrees, −180 to 180, the east positive.',
      'timeZone: String': 'An IANA name, such as `Europe/Berlin`.',
    }),
})

export const DeviceType = builder.objectRef<Device>('Device').implement({
  description: 'An edge device of the organization.',
  fields: (t) => ({
    ...plainFields(t, EVERY_ACCESS, {
      'id: ID!': 'Given by the portal; it stays when the device is renamed.',
      'name: String!': 'Unique in the organization.',
      'description: String': 'Free text, which may have several lines. Null when there is none.',
      'lastSeenAt: DateTime': 'The last check-in. Null before the first.',
      'firmwareVersion: String': 'As the last check-in or a person has given it. Null when nobody has.',
      'createdAt: DateTime!': 'When it was added to the portal.',
      'updatedAt: DateTime!':
        'When something of it was last changed. A check-in counts only if it brings another firmware version.',
    }),
    enabled: t.boolean({
      access: EVERY_ACCESS,
      description:
        'Whether the device is meant to be in use. A mark for people and scripts: a disabled one may check in.',
      resolve: (device) => device.enabled === 1,
    }),
    status: t.field({
      access: EVERY_ACCESS,
      type: DeviceStatusType,
      description: 'Whether it has checked in recently, computed when it is requested.',
      resolve: (device, _args, ctx) => statusOf(device, ctx.now()),
    }),
    location: t.field({
      access: EVERY_ACCESS,
      type: LocationType,
      nullable: true,
      description: 'Where it is. Null when nothing of that is known.',
      resolve: locationOf,
    }),
    tags: t.stringList({
      access: EVERY_ACCESS,
      cost: { maxItems: MAX_TAGS },
      description: 'In the order in which they were given, each once.',
      resolve: tagsOf,
    }),
  }),
})

const DeviceFilterInput = builder.inputType('DeviceFilter', {
  description: 'Which devices: all conditions that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: DeviceStatusType, description: 'Devices of this status alone.' }),
    tags: t.stringList({ ...tagList, description: 'Devices that have all of these tags, at most 20.' }),
    enabled: t.boolean({ description: 'Devices that are enabled, or those that are not.' }),
    ids: t.idList({
      ...upTo(MAX_PAGE_SIZE),
      description: 'These devices, at most 500. One that does not exist is left out.',
    }),
    names: t.stringList({
      ...upTo(MAX_PAGE_SIZE, { max: MAX_TEXT }),
      description: 'Devices of these names, at most 500, as they are spelled. One that does not exist is left out.',
    }),
    nameContains: t.string({
      ...text(),
      description: 'Devices whose name contains this text, in upper or lower case. Blanks at its ends count too.',
    }),
    updatedSince: t.field({ type: 'DateTime', description: 'Devices whose `updatedAt` is this time or later.' }),
  }),
})

const DeviceOrderFieldType = describedEnum<DeviceOrderField>('DeviceOrderField', 'What devices are sorted by.', {
  NAME: 'Their names, without regard to case.',
  CREATED_AT: 'When they were added.',
  UPDATED_AT: 'When they were last changed.',
  LAST_SEEN_AT: 'Their last check-ins; one that was never seen comes before all others.',
})

const DeviceOrderInput = builder.inputType('DeviceOrder', {
  description:
    'The order of devices. Those with equal values are in the order of their ids; by `LAST_SEEN_AT`, of their names.',
  fields: (t) => ({
    field: t.field({ type: DeviceOrderFieldType, required: true, description: 'What they are sorted by.' }),
    direction: t.field({ type: SortDirectionType, defaultValue: 'ASC', description: 'Which comes first.' }),
  }),
})

const DeviceListType = listType<Device, DevicePage>('DeviceList', DeviceType, 'devices', EVERY_ACCESS)

builder.objectField(DeviceListType, 'countUpTo', (t) =>
  t.int({
    access: EVERY_ACCESS,
    cost: { own: COST_OF_COUNT },
    description: `How many there are on all pages together, counted up to a number: then as many or more. With a filter that many devices meet, it takes much less time than \`totalCount\`. Costs ${COST_OF_COUNT}.`,
    args: {
      most: t.arg.int({
        ...range(1, MAX_COUNT_UP_TO),
        required: true,
        description: `Where it stops counting, 1 to ${MAX_COUNT_UP_TO}.`,
      }),
    },
    resolve: (page, { most }) => page.countUpTo(most),
  }),
)

builder.queryFields((t) => ({
  devices: t.field({
    access: ['READ_ONLY', 'DEVICES'],
    type: DeviceListType,
    description: 'The devices of the organization, by name unless another order is given.',
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({
        isSearch: true,
        ...text(),
        description: 'Devices whose name begins with this text, in upper or lower case.',
      }),
      filter: t.arg({ isSearch: true, type: DeviceFilterInput, description: 'Absent: every device.' }),
      orderBy: t.arg({
        type: DeviceOrderInput,
        description: 'Absent: by name. A cursor belongs to the order that it was given in.',
      }),
    },
    resolve: (_root, args, ctx, info) => listDevices(ctx, args, requestedFields(info)),
  }),
  device: t.field({
    access: EVERY_ACCESS,
    idOf: 'BOUND_DEVICE',
    type: DeviceType,
    nullable: true,
    description: 'One device. One that does not exist, or not in this organization, is null with the error NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the device.' }) },
    resolve: (_root, { id }, ctx) => findDevice(ctx, id),
  }),
}))

builder.mutationFields((t) => ({
  createDevice: t.field({
    access: ['DEVICES'],
    effect: 'WRITES',
    type: DeviceType,
    description: 'Adds a device. A name that the organization has already is a CONFLICT. For an Admin or a key.',
    args: {
      input: inputArg(t.arg, CreateDeviceInput, 'The new device.', checkNewDevice),
    },
    resolve: (_root, { input }, ctx) => createDevice(ctx, input),
  }),
  updateDevice: t.field({
    access: ['DEVICES'],
    effect: 'WRITES',
    type: DeviceType,
    description:
      'Changes a device. A field that is absent stays, null clears it, a location is replaced whole. For an Admin or a key.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the device.' }),
      input: inputArg(t.arg, UpdateDeviceInput, 'What is to change.', checkDeviceChanges),
    },
    resolve: (_root, { id, input }, ctx) => updateDevice(ctx, id, input),
  }),
  deleteDevice: t.field({
    access: ['DEVICES'],
    effect: 'WRITES',
    type: 'ID',
    description: 'Deletes a device for good, and returns its id. Its name can be used again. For an Admin or a key.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the device.' }) },
    resolve: (_root, { id }, ctx) => deleteDevice(ctx, id),
  }),
  checkInDevice: t.field({
    access: ['DEVICES', 'CHECK_IN'],
    idOf: 'BOUND_DEVICE',
    effect: 'WRITES',
    type: DeviceType,
    description:
      'A device, or a script in its place, reports that it is alive: it is ONLINE for five minutes. For an Admin or a key.',
    args: {
      id: t.arg.id({
        description: 'The `id` of the device. A key that is bound to one device may leave it out; others must not.',
      }),
      input: t.arg({ type: CheckInDeviceInput, description: 'Absent: only that it is alive.' }),
    },
    resolve: (_root, { id: given, input }, ctx) => {
      const id = given ?? boundDevice(ctx.caller)
      return checkInDevice({ ...ctx, rootCall: ctx.rootCall && { ...ctx.rootCall, id } }, id, input ?? {})
    },
  }),
}))

/** What a document requests of a list: the fields of its items, and whether it requests its `pageInfo`. */
function requestedFields({ fieldNodes, fragments }: GraphQLResolveInfo) {
  const fields = fieldsIn(fieldNodes, fragments)
  const data = fields.filter(({ name }) => name.value === 'data')
  return {
    items: fieldsIn(data, fragments).map(({ name }) => name.value),
    pageInfo: fields.some(({ name }) => name.value === 'pageInfo'),
  }
}

/** The fields inside of these, with fragments expanded. Ignores type conditions, @skip and @include: there may be more than needed. */
function fieldsIn(
  nodes: readonly { readonly selectionSet?: SelectionSetNode | undefined }[],
  fragments: GraphQLResolveInfo['fragments'],
  found: FieldNode[] = [],
): FieldNode[] {
  for (const { selectionSet } of nodes) {
    for (const part of selectionSet?.selections ?? []) {
      if (part.kind === Kind.FIELD) found.push(part)
      else fieldsIn([part.kind === Kind.INLINE_FRAGMENT ? part : (fragments[part.name.value] ?? {})], fragments, found)
    }
  }
  return found
}
