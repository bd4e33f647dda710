import type { Page } from 'playwright-core'
import { startWebhookWorker } from '../../../server/webhooks/webhook-worker.ts'
import { backgroundOf } from '../world/mail-world.ts'
import { startReceiver } from '../world/webhook-receiver.ts'
import { webhooksAs } from '../world/webhooks.ts'
import type { TestOrganization } from '../world/world.ts'
import { inPortalOrganizationOf } from './portal-fixtures.ts'
import { openPortal } from './portal-page.ts'

/** A portal whose webhooks may be on this machine, a worker that delivers at once, and a receiver. */
async function openWebhookPortal() {
  const portal = await openPortal({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  const worker = startWebhookWorker(backgroundOf(portal.world).deps, { pollEveryMs: 50, closeWithinMs: 100 })
  const close = async () => {
    await worker.close()
    await portal.close()
  }
  return { ...portal, close }
}

/** In such a portal, each test has an organization and a receiver of its own. */
export const inWebhookPortal = () =>
  inPortalOrganizationOf(openWebhookPortal)
    .extend('receiver', async ({ portal: _portal }, { onCleanup }) => {
      const receiver = await startReceiver()
      onCleanup(receiver.close)
      return receiver
    })
    .extend('webhooks', ({ acme }) => webhooksAs(acme.call))

export const webhooksPath = ({ slug }: Pick<TestOrganization, 'slug'>) => `/${slug}/settings/webhooks`

/** The log on the page of a webhook: what it says of deliveries of one type. */
export const deliveriesOf = (page: Page, type: string) =>
  page
    .getByRole('list', { name: 'Deliveries' })
    .getByRole('listitem')
    .filter({ has: page.getByText(type, { exact: true }) })
