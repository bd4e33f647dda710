import './api-keys/api-key.graphql.ts'
import './api-keys/lineage.graphql.ts'
import './api-keys/revoke-many.graphql.ts'
import './api-keys/rotate.graphql.ts'
import './api-keys/usage.graphql.ts'
import './api-keys/policy.graphql.ts'
import './api-keys/ends.graphql.ts'
import './audit/audit-event.graphql.ts'
import './devices/device.graphql.ts'
import './graphql/rate-limit.graphql.ts'
import './identity/session.graphql.ts'
import './identity/viewer.graphql.ts'
import './mail/mail.graphql.ts'
import './organizations/organization.graphql.ts'
import './users/user.graphql.ts'
import { builder } from './graphql/builder.ts'

/** One schema behind both doors. */
export const schema = builder.toSchema()
