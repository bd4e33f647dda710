import { askedOfList } from '../graphql/asked-fields.ts'
import { builder } from '../graphql/builder.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import { columnsFor } from './asked-columns.ts'
import { checkInDevice, createDevice, deleteDevice, updateDevice } from './device.ts'
import { DEVICE_STATUSES, statusOf } from './device-status.ts'
import { listDevices } from './list-devices.ts'
import { type Device, findDevice, type Location, locationOf, tagsOf } from './stored-device.ts'

const DeviceStatusType = builder.enumType('DeviceStatus', {
  description: 'ONLINE for five minutes after a check-in, then OFFLINE; NEVER_SEEN before the first.',
  values: DEVICE_STATUSES,
})

const LocationType = builder.objectRef<Location>('Location').implement({
  description: 'Where a device stands.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true }),
    address: t.exposeString('address', { nullable: true }),
    latitude: t.exposeFloat('latitude', { nullable: true }),
    longitude: t.exposeFloat('longitude', { nullable: true }),
    timeZone: t.exposeString('timeZone', { nullable: true, description: 'Such as `Europe/Berlin`.' }),
  }),
})

const DeviceType = builder.objectRef<Device>('Device').implement({
  description: 'An edge device of the organization.',
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name', { description: 'No other device of the organization has the same.' }),
    description: t.exposeString('description', { nullable: true }),
    enabled: t.boolean({ resolve: (device) => device.enabled === 1 }),
    status: t.field({ type: DeviceStatusType, resolve: (device, _args, ctx) => statusOf(device, ctx.now()) }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', nullable: true, description: 'The last check-in.' }),
    location: t.field({ type: LocationType, nullable: true, resolve: locationOf }),
    tags: t.stringList({ resolve: tagsOf }),
    firmwareVersion: t.exposeString('firmwareVersion', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'A check-in alone does not count.' }),
  }),
})

const DeviceFilterInput = builder.inputType('DeviceFilter', {
  fields: (t) => ({
    status: t.field({ type: DeviceStatusType }),
    tags: t.stringList({ description: 'A device must have all of them.' }),
    enabled: t.boolean(),
  }),
})

builder.queryField('devices', (t) =>
  t.field({
    type: listType('DeviceList', DeviceType),
    description: 'The devices of the organization, by name.',
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({ description: 'How the name begins, in any case.' }),
      filter: t.arg({ type: DeviceFilterInput }),
    },
    resolve: (_root, args, ctx, info) => listDevices(ctx, args, columnsFor(askedOfList(info))),
  }),
)

builder.queryField('device', (t) =>
  t.field({
    type: DeviceType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, ctx) => findDevice(ctx, id),
  }),
)

const LocationInputType = builder.inputType('LocationInput', {
  fields: (t) => ({
    name: t.string(),
    address: t.string(),
    latitude: t.float({ description: 'Degrees, −90 to 90.' }),
    longitude: t.float({ description: 'Degrees, −180 to 180.' }),
    timeZone: t.string({ description: 'Such as `Europe/Berlin`.' }),
  }),
})

const CreateDeviceInput = builder.inputType('CreateDeviceInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    description: t.string(),
    enabled: t.boolean({ defaultValue: true }),
    location: t.field({ type: LocationInputType }),
    tags: t.stringList({ description: 'At most 20.' }),
    firmwareVersion: t.string(),
  }),
})

const UpdateDeviceInput = builder.inputType('UpdateDeviceInput', {
  fields: (t) => ({
    name: t.string(),
    description: t.string(),
    enabled: t.boolean(),
    location: t.field({ type: LocationInputType }),
    tags: t.stringList({ description: 'At most 20.' }),
    firmwareVersion: t.string(),
  }),
})

const CheckInDeviceInput = builder.inputType('CheckInDeviceInput', {
  fields: (t) => ({ firmwareVersion: t.string({ description: 'Absent or null: it stays.' }) }),
})

builder.mutationField('createDevice', (t) =>
  t.field({
    type: DeviceType,
    description: 'For an Admin or a key. A name that the organization has already is a CONFLICT.',
    args: { input: t.arg({ type: CreateDeviceInput, required: true }) },
    resolve: (_root, { input }, ctx) => createDevice(ctx, input),
  }),
)

builder.mutationField('updateDevice', (t) =>
  t.field({
    type: DeviceType,
    description: 'For an Admin or a key. A field that is absent stays, null clears it, a location is replaced whole.',
    args: { id: t.arg.id({ required: true }), input: t.arg({ type: UpdateDeviceInput, required: true }) },
    resolve: (_root, { id, input }, ctx) => updateDevice(ctx, id, input),
  }),
)

builder.mutationField('deleteDevice', (t) =>
  t.field({
    type: 'ID',
    description: 'For an Admin or a key.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, ctx) => deleteDevice(ctx, id),
  }),
)

builder.mutationField('checkInDevice', (t) =>
  t.field({
    type: DeviceType,
    description: 'For an Admin or a key. A device, or a script in its place, says that it is alive.',
    args: { id: t.arg.id({ required: true }), input: t.arg({ type: CheckInDeviceInput }) },
    resolve: (_root, { id, input }, ctx) => checkInDevice(ctx, id, input ?? {}),
  }),
)
