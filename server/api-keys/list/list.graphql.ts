import type { InputFieldBuilder } from '@pothos/core'
import { builder, type Types } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { range, text, upTo } from '../../graphql/domain.ts'
import { listType, pageArgs, SortDirectionType } from '../../graphql/list-type.ts'
import { ApiKeyAccessType } from '../access/access-type.graphql.ts'
import { ApiKeyType } from '../api-key.graphql.ts'
import { MAX_KEY_IDS, MAX_UNUSED_DAYS } from '../filter.ts'
import { listApiKeys } from './list-keys.ts'
import { MAX_KEY_SEARCH, UNUSED_DAYS } from './states.ts'

const ApiKeyStateType = describedEnum(
  'ApiKeyState',
  'A state of a key. It can be in several: a paused key is active too, and may be about to expire.',
  {
    ACTIVE: 'It has not expired. Keys are active in this sense wherever they are counted.',
    PAUSED: 'It has not expired, and is paused.',
    EXPIRING: 'It expires soon: within 30 days, and within the last fifth of its lifetime.',
    EXPIRED: 'It has expired.',
    UNUSED: `It has not expired, and had no call in ${UNUSED_DAYS} days. One that was never used counts from its creation.`,
  },
)

const ApiKeySortFieldType = describedEnum('ApiKeySortField', 'What keys are sorted by.', {
  CREATED_AT: 'When they were generated.',
  LABEL: 'Their labels, without regard to case.',
  LAST_USED_AT: 'Their last calls; one that was never used comes before all others.',
  EXPIRES_AT: 'When they expire; one without an expiration comes after all others.',
})

const ApiKeySortInput = builder.inputType('ApiKeySort', {
  description: 'The order of keys. Those with equal values are in the order of their creation.',
  fields: (t) => ({
    by: t.field({ type: ApiKeySortFieldType, required: true, description: 'What they are sorted by.' }),
    direction: t.field({ type: SortDirectionType, defaultValue: 'ASC', description: 'Which comes first.' }),
  }),
})

/** Conditions by which keys are listed, and revoked. */
export const keyConditions = (t: InputFieldBuilder<Types, 'InputObject'>) => ({
  unusedForDays: t.int({
    ...range(1, MAX_UNUSED_DAYS),
    description:
      'Keys without a call for this many days, 1 to 36,500. One that was never used counts from its creation.',
  }),
  createdById: t.id({ description: 'Keys that this person or key generated.' }),
})

const ApiKeyFilterInput = builder.inputType('ApiKeyFilter', {
  description: 'Which keys: all conditions that are given must hold.',
  fields: (t) => ({
    ids: t.idList({ ...upTo(MAX_KEY_IDS), description: 'These keys, 1 to 500.' }),
    ...keyConditions(t),
    state: t.field({ type: ApiKeyStateType, description: 'Keys in this state.' }),
    access: t.field({ type: ApiKeyAccessType, description: 'Keys with this access.' }),
  }),
})

builder.queryField('apiKeys', (t) =>
  t.field({
    access: ['READ_ONLY'],
    type: listType('ApiKeyList', ApiKeyType, 'API keys'),
    description:
      'The keys of the organization, the newest first; expired ones for 30 days, as long as there are no more than 1,000 in all. For an Admin or a key, also where API keys are disabled.',
    args: {
      ...pageArgs(t.arg),
      search: t.arg.string({
        isSearch: true,
        ...text(MAX_KEY_SEARCH),
        description:
          'Keys with this text in their label or the name of the person or key that generated them; with three characters or more also in the IP address, user agent or operation of their last call, or at the beginning of their prefix. Without regard to case, at most 200 characters. Absent: every key.',
      }),
      sort: t.arg({ isSearch: true, type: ApiKeySortInput, description: 'Absent: the newest first.' }),
      filter: t.arg({ isSearch: true, type: ApiKeyFilterInput, description: 'Absent: every key.' }),
    },
    resolve: (_root, args, ctx) => listApiKeys(ctx, args),
  }),
)
