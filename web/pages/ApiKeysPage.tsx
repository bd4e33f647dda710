import { showsApiKeys, useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { NoKeysNotice } from '../components/WhyNoKeys.tsx'
import { Keys } from './api-keys/Keys.tsx'

/** The keys of an account on a page of their own: what the panel shows, with more room. */
export function ApiKeysPage() {
  const viewer = useViewer()
  const { id, name } = viewer.organization
  if (!showsApiKeys(viewer)) {
    return (
      <Page title="API Keys" of={name}>
        <NoKeysNotice viewer={viewer} />
      </Page>
    )
  }
  return (
    <Keys
      key={id}
      viewer={viewer}
      isShown
      frame={(keys) => (
        <Page title="API Keys" of={name}>
          {keys}
        </Page>
      )}
    />
  )
}
