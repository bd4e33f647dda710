import './api-keys/api-key.graphql.ts'
import './audit/audit-event.graphql.ts'
import './devices/device.graphql.ts'
import './graphql/rate-limit.graphql.ts'
import './identity/session.graphql.ts'
import './identity/viewer.graphql.ts'
import './organizations/organization.graphql.ts'
import './users/user.graphql.ts'
import { builder } from './graphql/builder.ts'

/** One schema behind both doors. */
export const schema = builder.toSchema()
