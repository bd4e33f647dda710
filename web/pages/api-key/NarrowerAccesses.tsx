import type { KeyOfPage } from '../../api/api-key.ts'
import { ACCESSES } from '../../components/key-access.ts'
import { Table } from '../../ui/Table.tsx'
import { refusedInWords } from './access-words.ts'

/** What each narrower access would have refused, for those who want to know why it is not offered. */
export function NarrowerAccesses({ apiKey: { suggestedAccess } }: { apiKey: KeyOfPage }) {
  if (suggestedAccess.narrower.length === 0) return null
  return (
    <details>
      <summary>What a narrower access would have refused</summary>
      <Table>
        <thead>
          <tr>
            <th>Access</th>
            <th>Would have been refused</th>
          </tr>
        </thead>
        <tbody>
          {suggestedAccess.narrower.map(({ access, refused }) => (
            <tr key={access}>
              <td className="nowrap">{ACCESSES[access].name}</td>
              <td>{refusedInWords(refused)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  )
}
