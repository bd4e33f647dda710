import { builder } from '../../graphql/builder.ts'
import { range, upTo } from '../../graphql/domain.ts'
import type { ApiKeyAccess } from '../../key-access.ts'
import { LIMITS } from '../../limits.ts'

export const ApiKeyAccessType = builder.enumType('ApiKeyAccess', {
  description:
    'How much a key may do. `viewer`, `rateLimit` and introspection are open to every access, and so is `rotateApiKey` for the key itself.',
  values: {
    ADMIN: { description: 'Everything that an Admin may do in the organization. The default.' },
    READ_ONLY: {
      description:
        'Reads everything that an Admin reads except canary keys, their events and emails, and changes nothing.',
    },
    DEVICES: { description: 'Reads and changes devices, and nothing else.' },
    CHECK_IN: {
      description: 'Checks devices in, and reads one device at a time by its id; with a `deviceId`, that device alone.',
    },
  } satisfies Record<ApiKeyAccess, object>,
})

/** Of one key, beside its label and expiration: when it is generated, and when it is changed. */
export const OWN_RULES = {
  networks: { ...upTo(100, { max: 100 }) },
  requestsPerSecond: range(1, LIMITS.requests_of_key),
  requestsPerDay: range(1, LIMITS.requests_of_key_a_day),
}
