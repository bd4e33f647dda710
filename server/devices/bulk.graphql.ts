import type { InputRef } from '@pothos/core'
import { EVERY_ACCESS, type NarrowedAccess } from '../caller/key-rules.ts'
import { builder, type RequestCtx, type Types } from '../graphql/builder.ts'
import { COST_OF_ITEM, COST_OF_MUTATION } from '../graphql/cost.ts'
import { upTo } from '../graphql/domain.ts'
import { MAX_BULK_ITEMS } from '../graphql/operation-limits.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { AppError, allErrorsIn } from '../lib/app-error.ts'
import type { Outcome } from './bulk.ts'
import { checkInDevices } from './check-in-devices.ts'
import { createDevices, upsertDevices } from './create-devices.ts'
import { deleteDevices } from './delete-devices.ts'
import { DeviceType } from './device.graphql.ts'
import {
  CheckInDevicesInput,
  CreateDeviceInput,
  DeleteDevicesInput,
  UpdateDevicesInput,
} from './device-inputs.graphql.ts'
import type { Device } from './stored-device.ts'
import { updateDevices } from './update-devices.ts'

interface ItemError {
  code: string
  message: string
  field: string | null
}

interface DeviceResult {
  device: Device | null
  error: ItemError | null
  errors: readonly ItemError[]
}

const ItemErrorType = builder.objectRef<ItemError>('ItemError').implement({
  description: 'Why an item was refused.',
  fields: (t) =>
    plainFields(t, EVERY_ACCESS, {
      'code: String!':
        'One of the codes in docs/errors.md. `NOT_APPLIED`: nothing is wrong with this item, but with another one of the call.',
      'message: String!': 'What is wrong, in English.',
      'field: String': 'The field of the item at fault, such as `location.latitude`. Null when there is none.',
    }),
})

/** So many of its values can be wrong: its own six, and five of its location. */
const DEVICE_VALUES = 11

const DeviceResultType = builder.objectRef<DeviceResult>('DeviceResult').implement({
  description: 'What became of one item: it has either a device or an error.',
  fields: (t) => ({
    device: t.expose('device', {
      access: EVERY_ACCESS,
      type: DeviceType,
      nullable: true,
      description: 'The device as it is now; as it was, if it was deleted. Null when the item was not done.',
    }),
    error: t.expose('error', {
      access: EVERY_ACCESS,
      type: ItemErrorType,
      nullable: true,
      description: 'Why the item was not done. Null when it was.',
    }),
    errors: t.expose('errors', {
      access: EVERY_ACCESS,
      cost: { maxItems: DEVICE_VALUES, weight: 0.05 }, // nearly always there is none
      type: [ItemErrorType],
      description:
        'Everything that is wrong with the item, one for each field; `error` is the first. Empty when it was done.',
    }),
  }),
})

const DeviceResultsType = builder.objectRef<{ results: DeviceResult[] }>('DeviceResults').implement({
  description: 'What became of the items of a call for many devices.',
  fields: (t) => ({
    results: t.field({
      access: EVERY_ACCESS,
      cost: { isPage: true },
      type: [DeviceResultType],
      description: 'One for each item, in the order of the inputs.',
      resolve: ({ results }) => results,
    }),
  }),
})

const resultsOf = async (outcomes: Promise<Outcome[]>) => ({ results: (await outcomes).map(resultOf) })

/** As plain data: an error among the values would be one of the whole operation. */
function resultOf(outcome: Outcome): DeviceResult {
  if (!(outcome instanceof AppError)) return { device: outcome, error: null, errors: [] }
  const errors = allErrorsIn(outcome).map(itemErrorOf)
  return { device: null, error: errors[0] ?? null, errors }
}

const itemErrorOf = ({ code, message, details }: AppError): ItemError => ({
  code,
  message,
  field: details.field ?? null,
})

interface ManyDevices<Input> {
  access: readonly NarrowedAccess[]
  does: string
  type: InputRef<Input>
  inputs: string
  resolve(ctx: RequestCtx, inputs: readonly Input[], atomic: boolean): Promise<Outcome[]>
}

/** A mutation of many devices, with a result for each of its inputs. */
const forMany = <Input>(
  t: PothosSchemaTypes.MutationFieldBuilder<Types, object>,
  { access, does, type, inputs: description, resolve }: ManyDevices<Input>,
) =>
  t.field({
    access,
    effect: 'WRITES',
    cost: { own: COST_OF_MUTATION, costOfInput: COST_OF_ITEM },
    type: DeviceResultsType,
    description: `${does} At most ${MAX_BULK_ITEMS} in a call, with a result for each. For an Admin or a key.`,
    args: {
      inputs: t.arg({ ...upTo(MAX_BULK_ITEMS, { eachOnItsOwn: true }), type: [type], required: true, description }),
      atomic: t.arg.boolean({
        defaultValue: true,
        description:
          'True: all items in one transaction, and nothing is done if one of them fails. False: each is done or refused on its own.',
      }),
    },
    resolve: (_root, { inputs, atomic }, ctx) => resultsOf(resolve(ctx, inputs, atomic ?? true)),
  })

builder.mutationFields((t) => ({
  createDevices: forMany(t, {
    access: ['DEVICES'],
    does: 'Adds many devices.',
    type: CreateDeviceInput,
    inputs: 'The new devices, each name once.',
    resolve: createDevices,
  }),
  updateDevices: forMany(t, {
    access: ['DEVICES'],
    does: 'Changes many devices.',
    type: UpdateDevicesInput,
    inputs: 'What is to change, each device once.',
    resolve: updateDevices,
  }),
  upsertDevices: forMany(t, {
    access: ['DEVICES'],
    does: 'Adds devices or changes those that exist, by their names: of an existing one a field that is absent stays, null clears it.',
    type: CreateDeviceInput,
    inputs: 'The devices, each name once.',
    resolve: upsertDevices,
  }),
  deleteDevices: forMany(t, {
    access: ['DEVICES'],
    does: 'Deletes many devices for good. Their names can be used again.',
    type: DeleteDevicesInput,
    inputs: 'The devices to delete, each once.',
    resolve: deleteDevices,
  }),
  checkInDevices: forMany(t, {
    access: ['DEVICES', 'CHECK_IN'], // for a key that is bound to one device, each item is checked
    does: 'Many devices, or a gateway in their place, report that they are alive.',
    type: CheckInDevicesInput,
    inputs: 'What they report, each device once.',
    resolve: checkInDevices,
  }),
}))
