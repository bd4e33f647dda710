import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useViewer } from '../api/viewer.ts'
import { Section, Sections } from '../components/Section.tsx'
import { documents, paths } from '../paths.ts'
import { CopyField } from '../ui/CopyField.tsx'
import { ApiLayout } from './api-pages/ApiLayout.tsx'
import { endpoint, FirstCall } from './api-pages/FirstCall.tsx'

/** How to call the API: the endpoint, a key, a first call, and where to read on. */
export function ApiPage() {
  const viewer = useViewer()
  return (
    <ApiLayout title="API" viewer={viewer}>
      <Sections>
        <Section title="Endpoint" message="Every query and mutation is sent here.">
          <CopyField label="Endpoint" hidesLabel value={endpoint()} />
        </Section>
        <FirstCall viewer={viewer} />
        <DocumentLinks slug={viewer.organization.slug} />
      </Sections>
    </ApiLayout>
  )
}

const DocumentLinks = ({ slug }: { slug: string }) => (
  <Section title="Learn more" message="Documents of this version, as pages and for tools.">
    <ul className="bullets">
      <li>
        <Anchor component={Link} to={paths.apiReference(slug)} underline="always">
          Reference
        </Anchor>
        : every query, mutation and type, and the access that a key needs.
      </li>
      <li>
        <Document to={documents.api}>Guide</Document>: paging, retries, many devices at once, key management.
      </li>
      <li>
        <Document to={documents.webhooks}>Webhooks</Document>: changes that the portal sends to a URL of yours.
      </li>
      <li>
        <Document to={documents.errors}>Errors</Document>: every code, and what to do about it.
      </li>
      <li>
        <Document to={documents.limits}>Limits</Document>: calls a second, the cost of a call, the size of a document.
      </li>
      <li>
        <Document to={documents.schema}>schema.graphql</Document>: for code generators and editors.
      </li>
    </ul>
  </Section>
)

/** Sent by the server, and no page of this app: the browser goes there. */
const Document = ({ to, children }: { to: string; children: string }) => (
  <Anchor href={to} underline="always">
    {children}
  </Anchor>
)
