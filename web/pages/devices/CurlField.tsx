import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useRef } from 'react'
import type { Viewer } from '../../api/viewer.ts'
import { useCopy } from '../../ui/use-copy.ts'

/** A call that a script can make, with this portal's own address; the key is the reader's. */
export function CurlField({ label, mutation }: { label: string; mutation: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { copied, copy } = useCopy(field)
  const command = curl(mutation)
  return (
    <Stack gap="xs" ta="left">
      <Textarea
        ref={field}
        label={label}
        value={command}
        readOnly
        autosize
        spellCheck={false}
        classNames={{ input: 'mono' }}
        styles={{ input: { fontSize: 'var(--text-xs)' } }}
      />
      <Group justify="flex-end">
        <Button variant="default" size="xs" onClick={() => copy(command)} aria-label={`Copy ${label.toLowerCase()}`}>
          <span aria-live="polite">
            {copied === 'done' ? 'Copied' : copied === 'refused' ? 'Press Ctrl+C' : 'Copy'}
          </span>
        </Button>
      </Group>
    </Stack>
  )
}

const curl = (mutation: string) =>
  [
    `curl ${window.location.origin}/graphql \\`,
    `  -H 'content-type: application/json' -H "api-secret: $API_SECRET" \\`,
    `  -d '${JSON.stringify({ query: mutation })}'`,
  ].join('\n')

/** A person's own account is no organization to them. */
export const thisAccount = ({ kind }: Viewer['organization']) =>
  kind === 'PERSONAL' ? 'this account' : 'this organization'
