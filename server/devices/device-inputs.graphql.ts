import type { InputFieldBuilder } from '@pothos/core'
import { builder, type Types } from '../graphql/builder.ts'
import { range, text, upTo } from '../graphql/domain.ts'
import { MAX_DESCRIPTION, MAX_PLACE, MAX_TAG } from './device-input.ts'

/** Tags, of which more than are allowed may be given: the domain says which of them is wrong. */
export const tagList = upTo(100, { max: MAX_TAG })

const LocationInputType = builder.inputType('LocationInput', {
  description: 'Where a device is. It replaces the whole location: what is absent is not known.',
  fields: (t) => ({
    name: t.string({ ...text(MAX_PLACE), description: 'The name of the place, at most 200 characters.' }),
    address: t.string({ ...text(MAX_PLACE), description: 'The postal address in any form, at most 200 characters.' }),
    latitude: t.float({ ...range(-90, 90, 'degrees'), description: 'Degrees, −90 to 90, the north positive.' }),
    longitude: t.float({ ...range(-180, 180, 'degrees'), description: 'Degrees, −180 to 180, the east positive.' }),
    timeZone: t.string({ ...text(), description: 'An IANA name, such as `Europe/Berlin`.' }),
  }),
})

const DESCRIPTION = {
  ...text(MAX_DESCRIPTION, { lines: true }),
  description: 'At most 1,000 characters, which may have several lines.',
}

/** Shown as `true` and used as such, yet not a boolean: so an upsert knows whether it was given. */
const ABSENT_IS_TRUE = 1 as unknown as boolean

export const CreateDeviceInput = builder.inputType('CreateDeviceInput', {
  description: 'A new device.',
  fields: (t) => ({
    name: t.string({ ...text(), required: true, description: '1 to 80 characters, unique in the organization.' }),
    description: t.string(DESCRIPTION),
    enabled: t.boolean({
      defaultValue: ABSENT_IS_TRUE,
      description:
        'Whether the device is meant to be in use. Of a device that exists already, absent or null changes nothing.',
    }),
    location: t.field({ type: LocationInputType, description: 'Where it is.' }),
    tags: t.stringList({ ...tagList, description: 'At most 20, each once and of 1 to 40 characters.' }),
    firmwareVersion: t.string({ ...text(), description: '1 to 80 characters. A check-in may bring a newer one.' }),
  }),
})

type InputFields = InputFieldBuilder<Types, 'InputObject'>

function oneDevice(t: InputFields) {
  return { id: t.id({ required: true, description: 'The `id` of the device.' }) }
}

function reportFields(t: InputFields) {
  return {
    firmwareVersion: t.string({ ...text(), description: '1 to 80 characters. Absent or null: it stays as it is.' }),
  }
}

const changeFields = (t: InputFields) => ({
  name: t.string({ ...text(), description: '1 to 80 characters, unique in the organization. It cannot be cleared.' }),
  description: t.string(DESCRIPTION),
  enabled: t.boolean({ description: 'Whether the device is meant to be in use. It cannot be cleared.' }),
  location: t.field({ type: LocationInputType, description: 'Replaces the whole location.' }),
  tags: t.stringList({
    ...tagList,
    description: 'Replaces all tags: at most 20, each once and of 1 to 40 characters.',
  }),
  firmwareVersion: t.string({ ...text(), description: '1 to 80 characters.' }),
})

export const UpdateDeviceInput = builder.inputType('UpdateDeviceInput', {
  description: 'Changes of a device: a field that is absent stays as it is, null clears it.',
  fields: changeFields,
})

export const UpdateDevicesInput = builder.inputType('UpdateDevicesInput', {
  description: 'Changes of one of many devices: a field that is absent stays as it is, null clears it.',
  fields: (t) => ({ ...oneDevice(t), ...changeFields(t) }),
})

export const DeleteDevicesInput = builder.inputType('DeleteDevicesInput', {
  description: 'One of many devices to delete.',
  fields: oneDevice,
})

export const CheckInDeviceInput = builder.inputType('CheckInDeviceInput', {
  description: 'What a device reports when it checks in.',
  fields: reportFields,
})

export const CheckInDevicesInput = builder.inputType('CheckInDevicesInput', {
  description: 'What one of many devices reports when it checks in.',
  fields: (t) => ({ ...oneDevice(t), ...reportFields(t) }),
})
