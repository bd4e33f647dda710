import { EVERY_ACCESS } from '../caller/key-rules.ts'
import { builder } from '../graphql/builder.ts'
import { text } from '../graphql/domain.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { MAX_TAG } from './device-input.ts'
import { MAX_COUNTED, MAX_TAGS_IN_USE, type TagInUse, tagsInUse } from './tags-in-use.ts'

const DeviceTagType = builder.objectRef<TagInUse>('DeviceTag').implement({
  description: 'A tag that devices of the organization have.',
  fields: (t) =>
    plainFields(t, EVERY_ACCESS, {
      'tag: String!': 'The tag.',
      'devices: Int!': `How many devices have it, counted up to ${MAX_COUNTED.toLocaleString('en')}.`,
    }),
})

builder.queryField('deviceTags', (t) =>
  t.field({
    access: ['READ_ONLY', 'DEVICES'],
    cost: { own: 100, maxItems: MAX_TAGS_IN_USE },
    type: [DeviceTagType],
    description: `The first ${MAX_TAGS_IN_USE} tags of devices in the order of their characters, for suggestions.`,
    args: {
      search: t.arg.string({
        ...text(MAX_TAG),
        description: 'Tags that begin with this text, as it is spelled. Absent: every tag.',
      }),
    },
    resolve: (_root, { search }, ctx) => tagsInUse(ctx, search),
  }),
)
