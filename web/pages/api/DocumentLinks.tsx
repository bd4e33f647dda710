import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Section } from '../../components/Section.tsx'
import { documents, paths } from '../../paths.ts'

/** Where to read on. */
export const DocumentLinks = ({ slug }: { slug: string }) => (
  <Section title="Read on">
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
