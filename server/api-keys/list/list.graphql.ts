import { builder } from '../../graphql/builder.ts'
import { range, text, upTo } from '../../graphql/domain.ts'
import { listType, pageArgs, SortDirectionType } from '../../graphql/list.ts'
import { ApiKeyAccessType } from '../access/access-type.graphql.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { listApiKeys } from './list.ts'
import { UNUSED_DAYS } from './states.ts'

const ApiKeyStateType = builder.enumType('ApiKeyState', {
  description: 'A state of a key. It can be in several: a paused key is active too, and may be about to expire.',
  values: {
    ACTIVE: { description: 'It has not expired. Keys are active in this sense wherever they are counted.' },
    PAUSED: { description: 'It has not expired, and is paused.' },
    EXPIRING: { description: 'It expires within 30 days.' },
    EXPIRED: { description: 'It has expired.' },
    UNUSED: {
      description: `It has not expired, and had no call in ${UNUSED_DAYS} days. One that was never used counts from its creation.`,
    },
  } as const,
})

const ApiKeySortFieldType = builder.enumType('ApiKeySortField', {
  description: 'What keys are sorted by.',
  values: {
    CREATED_AT: { description: 'When they were generated.' },
    LABEL: { description: 'Their labels, without regard to case.' },
    LAST_USED_AT: { description: 'Their last calls; one that was never used comes before all others.' },
    EXPIRES_AT: { description: 'When they expire; one without an expiration comes after all others.' },
  } as const,
})

const ApiKeySortInput = builder.inputType('ApiKeySort', {
  description: 'The order of keys. Those with equal values are in the order of their creation.',
  fields: (t) => ({
    by: t.field({ type: ApiKeySortFieldType, required: true, description: 'What they are sorted by.' }),
    direction: t.field({
      type: SortDirectionType,
      defaultValue: 'ASC',
      description: 'Which comes first.',
    }),
  }),
})

const ApiKeyFilterInput = builder.inputType('ApiKeyFilter', {
  description: 'Which keys: all conditions that are given must hold.',
  fields: (t) => ({
    ids: t.idList({ ...upTo(500), description: 'These keys, 1 to 500.' }),
    unusedForDays: t.int({
      ...range(1, 36_500),
      description:
        'Keys without a call for this many days, 1 to 36,500. One that was never used counts from its creation.',
    }),
    createdById: t.id({ description: 'Keys that this person or key generated.' }),
    state: t.field({ type: ApiKeyStateType, description: 'Keys in this state.' }),
    access: t.field({ type: ApiKeyAccessType, description: 'Keys with this access.' }),
  }),
})

builder.queryField('apiKeys', (t) =>
  t.field({
    type: listType('ApiKeyList', ApiKeyType, 'API keys'),
    description:
      'The keys of the organization, the newest first; expired ones for 30 days, as long as there are no more than 1,000 in all. For an Admin or a key, also where API keys are disabled.',
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({
        ...text(),
        description:
          'Keys with this text in their label or the name of their creator, or at the beginning of their prefix, without regard to case. Absent: every key.',
      }),
      sort: t.arg({ type: ApiKeySortInput, description: 'Absent: the newest first.' }),
      filter: t.arg({ type: ApiKeyFilterInput, description: 'Absent: every key.' }),
    },
    resolve: (_root, args, ctx) => listApiKeys(ctx, args),
  }),
)
