import type { ArgBuilder } from '@pothos/core'
import { builder, type Types } from '../graphql/builder.ts'
import { COST_OF_ITEM, COST_OF_MUTATION, costs } from '../graphql/cost.ts'
import { upTo } from '../graphql/domain.ts'
import { AppError, allErrorsIn } from '../lib/app-error.ts'
import { MAX_ITEMS, type Outcome } from './bulk.ts'
import { checkInDevices } from './check-in-devices.ts'
import { createDevices } from './create-devices.ts'
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
import { upsertDevices } from './upsert-devices.ts'

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
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        'One of the codes in docs/errors.md. `NOT_APPLIED`: nothing is wrong with this item, but with another one of the call.',
    }),
    message: t.exposeString('message', { description: 'What is wrong, in English.' }),
    field: t.exposeString('field', {
      nullable: true,
      description: 'The field of the item at fault, such as `location.latitude`. Null when there is none.',
    }),
  }),
})

/** So many of its values can be wrong: its own six, and five of its location. */
const DEVICE_VALUES = 11

const DeviceResultType = builder.objectRef<DeviceResult>('DeviceResult').implement({
  description: 'What became of one item: it has either a device or an error.',
  fields: (t) => ({
    device: t.expose('device', {
      type: DeviceType,
      nullable: true,
      description: 'The device as it is now; as it was, if it was deleted. Null when the item was not done.',
    }),
    error: t.expose('error', {
      type: ItemErrorType,
      nullable: true,
      description: 'Why the item was not done. Null when it was.',
    }),
    errors: t.expose('errors', {
      ...costs({ maxItems: DEVICE_VALUES, weight: 0.05 }), // nearly always there is none
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
      ...costs({ isPage: true }),
      type: [DeviceResultType],
      description: 'One for each item, in the order of the inputs.',
      resolve: ({ results }) => results,
    }),
  }),
})

const COST = costs({ cost: COST_OF_MUTATION, costOfInput: COST_OF_ITEM })
const MANY = upTo(MAX_ITEMS, { eachOnItsOwn: true })
const ANSWER = `At most ${MAX_ITEMS} in a call, with a result for each. For an Admin or a key.`

const atomic = (t: ArgBuilder<Types>) =>
  t.boolean({
    defaultValue: true,
    description:
      'True: all items in one transaction, and nothing is done if one of them fails. False: each is done or refused on its own.',
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

builder.mutationField('createDevices', (t) =>
  t.field({
    ...COST,
    type: DeviceResultsType,
    description: `Adds many devices. ${ANSWER}`,
    args: {
      inputs: t.arg({
        ...MANY,
        type: [CreateDeviceInput],
        required: true,
        description: 'The new devices, each name once.',
      }),
      atomic: atomic(t.arg),
    },
    resolve: (_root, { inputs, atomic }, ctx) => resultsOf(createDevices(ctx, inputs, atomic ?? true)),
  }),
)

builder.mutationField('updateDevices', (t) =>
  t.field({
    ...COST,
    type: DeviceResultsType,
    description: `Changes many devices. ${ANSWER}`,
    args: {
      inputs: t.arg({
        ...MANY,
        type: [UpdateDevicesInput],
        required: true,
        description: 'What is to change, each device once.',
      }),
      atomic: atomic(t.arg),
    },
    resolve: (_root, { inputs, atomic }, ctx) => resultsOf(updateDevices(ctx, inputs, atomic ?? true)),
  }),
)

builder.mutationField('upsertDevices', (t) =>
  t.field({
    ...COST,
    type: DeviceResultsType,
    description: `Adds devices or changes those that exist, by their names: of an existing one a field that is absent stays, null clears it. ${ANSWER}`,
    args: {
      inputs: t.arg({
        ...MANY,
        type: [CreateDeviceInput],
        required: true,
        description: 'The devices, each name once.',
      }),
      atomic: atomic(t.arg),
    },
    resolve: (_root, { inputs, atomic }, ctx) => resultsOf(upsertDevices(ctx, inputs, atomic ?? true)),
  }),
)

builder.mutationField('deleteDevices', (t) =>
  t.field({
    ...COST,
    type: DeviceResultsType,
    description: `Deletes many devices for good. Their names can be used again. ${ANSWER}`,
    args: {
      inputs: t.arg({
        ...MANY,
        type: [DeleteDevicesInput],
        required: true,
        description: 'The devices to delete, each once.',
      }),
      atomic: atomic(t.arg),
    },
    resolve: (_root, { inputs, atomic }, ctx) => resultsOf(deleteDevices(ctx, inputs, atomic ?? true)),
  }),
)

builder.mutationField('checkInDevices', (t) =>
  t.field({
    ...COST,
    type: DeviceResultsType,
    description: `Many devices, or a gateway in their place, report that they are alive. ${ANSWER}`,
    args: {
      inputs: t.arg({
        ...MANY,
        type: [CheckInDevicesInput],
        required: true,
        description: 'What they report, each device once.',
      }),
      atomic: atomic(t.arg),
    },
    resolve: (_root, { inputs, atomic }, ctx) => resultsOf(checkInDevices(ctx, inputs, atomic ?? true)),
  }),
)
