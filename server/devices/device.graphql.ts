import { builder } from '../graphql/builder.ts'
import { costs } from '../graphql/cost.ts'
import { checkedBy, text, upTo } from '../graphql/domain.ts'
import { listType, pageArgs, SortDirectionType } from '../graphql/list.ts'
import { requestedFields } from '../graphql/requested-fields.ts'
import { boundDevice, checkInDevice, createDevice, deleteDevice, updateDevice } from './device.ts'
import { checkDeviceChanges, checkNewDevice } from './device-input.ts'
import { CheckInDeviceInput, CreateDeviceInput, UpdateDeviceInput } from './device-inputs.graphql.ts'
import type { DeviceOrderField } from './device-order.ts'
import { type DeviceStatus, statusOf } from './device-status.ts'
import { listDevices } from './list-devices.ts'
import { columnsFor } from './requested-columns.ts'
import { type Device, findDevice, type Location, locationOf, tagsOf } from './stored-device.ts'

const DeviceStatusType = builder.enumType('DeviceStatus', {
  description: 'Whether a device has checked in recently.',
  values: {
    ONLINE: { description: 'It has checked in within the last five minutes.' },
    OFFLINE: { description: 'Its last check-in is more than five minutes ago.' },
    NEVER_SEEN: { description: 'It has not checked in yet.' },
  } satisfies Record<DeviceStatus, object>,
})

const LocationType = builder.objectRef<Location>('Location').implement({
  description: 'Where a device is. What is not known is null.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true, description: 'The name of the place, such as `Lyon`.' }),
    address: t.exposeString('address', { nullable: true, description: 'The postal address, in any form.' }),
    latitude: t.exposeFloat('latitude', { nullable: true, description: 'Degrees, −90 to 90, the north positive.' }),
    longitude: t.exposeFloat('longitude', { nullable: true, description: 'Degrees, −180 to 180, the east positive.' }),
    timeZone: t.exposeString('timeZone', { nullable: true, description: 'An IANA name, such as `Europe/Berlin`.' }),
  }),
})

export const DeviceType = builder.objectRef<Device>('Device').implement({
  description: 'An edge device of the organization.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Given by the portal; it stays when the device is renamed.' }),
    name: t.exposeString('name', { description: 'Unique in the organization.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free text, which may have several lines. Null when there is none.',
    }),
    enabled: t.boolean({
      description:
        'Whether the device is meant to be in use. A mark for people and scripts: a disabled one may check in.',
      resolve: (device) => device.enabled === 1,
    }),
    status: t.field({
      type: DeviceStatusType,
      description: 'Whether it has checked in recently, computed when it is requested.',
      resolve: (device, _args, ctx) => statusOf(device, ctx.now()),
    }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last check-in. Null before the first.',
    }),
    location: t.field({
      type: LocationType,
      nullable: true,
      description: 'Where it is. Null when nothing of that is known.',
      resolve: locationOf,
    }),
    tags: t.stringList({
      ...costs({ maxItems: 20 }),
      description: 'In the order in which they were given, each once.',
      resolve: tagsOf,
    }),
    firmwareVersion: t.exposeString('firmwareVersion', {
      nullable: true,
      description: 'As the last check-in or a person has given it. Null when nobody has.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added to the portal.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description:
        'When something of it was last changed. A check-in counts only if it brings another firmware version.',
    }),
  }),
})

const DeviceFilterInput = builder.inputType('DeviceFilter', {
  description: 'Which devices: all conditions that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: DeviceStatusType, description: 'Devices of this status alone.' }),
    tags: t.stringList({ ...upTo(100, { max: 40 }), description: 'Devices that have all of these tags, at most 20.' }),
    enabled: t.boolean({ description: 'Devices that are enabled, or those that are not.' }),
    ids: t.idList({ ...upTo(500), description: 'These devices, at most 500. One that does not exist is left out.' }),
    names: t.stringList({
      ...upTo(500, { max: 80 }),
      description: 'Devices of these names, at most 500, as they are spelled. One that does not exist is left out.',
    }),
    nameContains: t.string({
      ...text(),
      description: 'Devices whose name contains this text, in upper or lower case. Blanks at its ends count too.',
    }),
    updatedSince: t.field({
      type: 'DateTime',
      description: 'Devices whose `updatedAt` is this time or later.',
    }),
  }),
})

const DeviceOrderFieldType = builder.enumType('DeviceOrderField', {
  description: 'What devices are sorted by.',
  values: {
    NAME: { description: 'Their names, without regard to case.' },
    CREATED_AT: { description: 'When they were added.' },
    UPDATED_AT: { description: 'When they were last changed.' },
    LAST_SEEN_AT: { description: 'Their last check-ins; one that was never seen comes before all others.' },
  } satisfies Record<DeviceOrderField, object>,
})

const DeviceOrderInput = builder.inputType('DeviceOrder', {
  description:
    'The order of devices. Those with equal values are in the order of their ids; by `LAST_SEEN_AT`, of their names.',
  fields: (t) => ({
    field: t.field({ type: DeviceOrderFieldType, required: true, description: 'What they are sorted by.' }),
    direction: t.field({ type: SortDirectionType, defaultValue: 'ASC', description: 'Which comes first.' }),
  }),
})

builder.queryField('devices', (t) =>
  t.field({
    type: listType('DeviceList', DeviceType, 'devices'),
    description: 'The devices of the organization, by name unless another order is given.',
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({
        ...text(),
        description: 'Devices whose name begins with this text, in upper or lower case.',
      }),
      filter: t.arg({ type: DeviceFilterInput, description: 'Absent: every device.' }),
      orderBy: t.arg({
        type: DeviceOrderInput,
        description: 'Absent: by name. A cursor belongs to the order that it was given in.',
      }),
    },
    resolve: (_root, args, ctx, info) => listDevices(ctx, args, columnsFor(requestedFields(info), args.orderBy?.field)),
  }),
)

builder.queryField('device', (t) =>
  t.field({
    type: DeviceType,
    nullable: true,
    description: 'One device. One that does not exist, or not in this organization, is null with the error NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the device.' }) },
    resolve: (_root, { id }, ctx) => findDevice(ctx, id),
  }),
)

builder.mutationField('createDevice', (t) =>
  t.field({
    type: DeviceType,
    description: 'Adds a device. A name that the organization has already is a CONFLICT. For an Admin or a key.',
    args: {
      input: t.arg({
        ...checkedBy(checkNewDevice),
        type: CreateDeviceInput,
        required: true,
        description: 'The new device.',
      }),
    },
    resolve: (_root, { input }, ctx) => createDevice(ctx, input),
  }),
)

builder.mutationField('updateDevice', (t) =>
  t.field({
    type: DeviceType,
    description:
      'Changes a device. A field that is absent stays, null clears it, a location is replaced whole. For an Admin or a key.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the device.' }),
      input: t.arg({
        ...checkedBy(checkDeviceChanges),
        type: UpdateDeviceInput,
        required: true,
        description: 'What is to change.',
      }),
    },
    resolve: (_root, { id, input }, ctx) => updateDevice(ctx, id, input),
  }),
)

builder.mutationField('deleteDevice', (t) =>
  t.field({
    type: 'ID',
    description: 'Deletes a device for good, and returns its id. Its name can be used again. For an Admin or a key.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the device.' }) },
    resolve: (_root, { id }, ctx) => deleteDevice(ctx, id),
  }),
)

builder.mutationField('checkInDevice', (t) =>
  t.field({
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
      return checkInDevice({ ...ctx, rootCall: { field: 'checkInDevice', id } }, id, input ?? {})
    },
  }),
)
