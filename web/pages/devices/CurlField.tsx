import { Text } from '@mantine/core'
import type { Viewer } from '../../api/viewer.ts'
import { CopyCode } from '../../ui/CopyCode.tsx'

/** A call that a script can make, with this portal's own address; the key is the reader's. */
export const CurlField = ({ label, mutation }: { label: string; mutation: string }) => (
  <div>
    <Text size="sm" fw={600} mb="var(--space-1)" aria-hidden>
      {label}
    </Text>
    <CopyCode label={label} value={curl(mutation)} />
  </div>
)

const curl = (mutation: string) =>
  [
    `curl ${window.location.origin}/graphql \\`,
    `  -H 'content-type: application/json' -H "api-secret: $API_SECRET" \\`,
    `  -d '${JSON.stringify({ query: mutation })}'`,
  ].join('\n')

/** A person's own account is no organization to them. */
export const thisAccount = ({ kind }: Viewer['organization']) =>
  kind === 'PERSONAL' ? 'this account' : 'this organization'
