import type { RequestCtx } from '../../server/graphql/builder.ts'
import { createLog } from '../../server/lib/log.ts'
import { emailEncryptionOf } from '../../server/mail/encrypted-links.ts'
import { portalSecretOf } from '../../server/mail/secret-file.ts'
import type { OrganizationContext } from '../organization-context.ts'
import type { Portal } from '../portal.ts'
import type { Api } from './api.ts'

const HEADERS = { 'content-type': 'application/json' }

/** The API on the database of this machine: as the operator, in one organization (C9). */
export async function localApi({ config }: Portal, { ctx }: OrganizationContext): Promise<Api> {
  const [{ schema }, { createGraphql }] = await Promise.all([
    import('../../server/schema.ts'), // only here: other commands need none of it
    import('../../server/routes/graphql/answer.ts'),
  ])
  const log = createLog('error', { write: () => undefined }) // what goes wrong is in the answer
  const { answer } = createGraphql(schema, log, () => portalSecretOf(config))

  return {
    async request({ query, variables, operationName }) {
      const body = JSON.stringify({ query, variables, operationName })
      const requestCtx: RequestCtx = {
        ...ctx,
        requestId: 'command-line',
        originConfig: config,
        cost: 0,
        operation: undefined,
        rateLimit: undefined,
        emailEncryption: emailEncryptionOf(config),
        sendsMail: config.smtp !== undefined,
      }
      const answered = await answer({ method: 'POST', url: '/graphql', headers: HEADERS, body }, requestCtx)
      return JSON.parse(String(answered.body))
    },
  }
}
