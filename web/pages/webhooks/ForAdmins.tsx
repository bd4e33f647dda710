import type { Viewer } from '../../api/viewer.ts'
import { Page } from '../../components/Page.tsx'
import { Empty } from '../../ui/Empty.tsx'

/** In place of the webhooks, for a Member. */
export const ForAdmins = ({ organization: { name } }: { organization: Viewer['organization'] }) => (
  <Page title="Webhooks" of={name}>
    <Empty title="This page is for Admins">Only Admins of {name} can view webhooks.</Empty>
  </Page>
)
