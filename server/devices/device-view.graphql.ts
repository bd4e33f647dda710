import { ADMIN_ONLY } from '../caller/key-rules.ts'
import { LIMITS } from '../config/limits.ts'
import { builder } from '../graphql/builder.ts'
import { text } from '../graphql/domain.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { type DeviceView, deleteDeviceView, listDeviceViews, MAX_VIEW_SEARCH, saveDeviceView } from './device-view.ts'

const DeviceViewType = builder.objectRef<DeviceView>('DeviceView').implement({
  access: ['READ_ONLY'],
  description: 'A filter, an order and columns of the device list in the web interface, under a name.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'Given by the portal.',
      'name: String!': 'What it is called.',
      'search: String!': 'The query string of the address of the list.',
      'createdAt: DateTime!': 'When it was first saved.',
    }),
    shared: t.boolean({
      description: "Whether it is everyone's in the organization, and not the person's own.",
      resolve: ({ userId }) => userId === null,
    }),
  }),
})

const SaveDeviceViewInput = builder.inputType('SaveDeviceViewInput', {
  description: 'A view of the device list.',
  fields: (t) => ({
    name: t.string({ ...text(), required: true, description: 'What it is called, at most 80 characters.' }),
    search: t.string({
      ...text(MAX_VIEW_SEARCH),
      required: true,
      description: `The query string of the address of the list, without \`?\`, at most ${MAX_VIEW_SEARCH} characters. Empty: the list as it is at first.`,
    }),
    shared: t.boolean({
      defaultValue: false,
      description: "Whether it is everyone's in the organization; this is for an Admin.",
    }),
  }),
})

builder.queryField('deviceViews', (t) =>
  t.field({
    access: ADMIN_ONLY,
    cost: { maxItems: 2 * LIMITS.device_views },
    type: [DeviceViewType],
    description: `The saved views of the device list by name: at most ${LIMITS.device_views} of the person's own, and as many of everyone's in the organization. For a signed-in person, not for a key.`,
    resolve: (_root, _args, ctx) => listDeviceViews(ctx),
  }),
)

builder.mutationFields((t) => ({
  saveDeviceView: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: DeviceViewType,
    description:
      "Saves a view of the device list. A view of the same name is replaced, among the person's own or among everyone's. For a signed-in person, not for a key.",
    args: { input: t.arg({ type: SaveDeviceViewInput, required: true, description: 'The view.' }) },
    resolve: (_root, { input }, ctx) => saveDeviceView(ctx, input),
  }),
  deleteDeviceView: t.id({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    description:
      "Removes a view of the person's own, or as an Admin one of everyone's, and returns its id. For a signed-in person, not for a key.",
    args: { id: t.arg.id({ required: true, description: 'The `id` of the view.' }) },
    resolve: (_root, { id }, ctx) => deleteDeviceView(ctx, id),
  }),
}))
