import type { InputFieldBuilder } from '@pothos/core'
import type { ApiKeyAccess } from '../../caller/key-rules.ts'
import { LIMITS } from '../../config/limits.ts'
import type { Types } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import { range, upTo } from '../../graphql/domain.ts'
import { MAX_NETWORKS } from '../../lib/network.ts'

export const ApiKeyAccessType = describedEnum<ApiKeyAccess>(
  'ApiKeyAccess',
  'How much a key may do. `viewer`, `rateLimit` and introspection are open to every access, and so is `rotateApiKey` for the key itself.',
  {
    ADMIN: 'Everything that an Admin may do in the organization. The default.',
    READ_ONLY: 'Reads everything that an Admin reads except canary keys, their events and emails, and changes nothing.',
    DEVICES: 'Reads and changes devices, and nothing else.',
    CHECK_IN: 'Checks devices in, and reads one device at a time by its id; with a `deviceId`, that device alone.',
  },
)

/** Networks, of which none is written in so many characters. */
export const networkList = upTo(MAX_NETWORKS, { max: 100 })

/** The restrictions that are chosen for a key, where nothing is said by leaving a field out (Absent), or by null (Null). */
export const ownRuleFields = (t: InputFieldBuilder<Types, 'InputObject'>, nothing: 'Absent' | 'Null') => ({
  allowedNetworks: t.stringList({
    ...networkList,
    description: `Addresses and networks that it is accepted from, such as \`10.0.0.0/8\`; at most 100. ${nothing} or empty: any.`,
  }),
  notBefore: t.field({
    type: 'DateTime',
    description: `When it is accepted for the first time. ${nothing}: at once.`,
  }),
  requestsPerSecond: t.int({
    ...range(1, LIMITS.requests_of_key),
    description: `Its own limit of requests in a second, 1 to 10,000. ${nothing}: only that of the portal.`,
  }),
  requestsPerDay: t.int({
    ...range(1, LIMITS.requests_of_key_a_day),
    description: `Its own limit of requests in a day of UTC, 1 to 1,000,000,000. ${nothing}: none.`,
  }),
})
