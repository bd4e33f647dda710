import { type AuditEventFilter, allAuditEvents, countAuditEvents } from '../../api/audit.ts'
import { csvHead } from '../../ui/csv-line.ts'
import { SaveFile } from '../../ui/SaveFile.tsx'
import { dayOf } from './audit-search.ts'
import { csvLines, HEADINGS } from './csv.ts'

/** Saves everything that fits the filter as a file. */
export const ExportCsv = ({ slug, filter }: { slug: string; filter: AuditEventFilter }) => (
  <SaveFile
    label="Export CSV"
    done="CSV file downloaded."
    name={() => `audit-${slug}-${dayOf(new Date())}.csv`}
    type="text/csv;charset=utf-8"
    count={() => countAuditEvents(slug, filter)}
    parts={() => partsOf(slug, filter)}
  />
)

async function* partsOf(slug: string, filter: AuditEventFilter) {
  yield { text: csvHead(HEADINGS), entries: 0 }
  for await (const events of allAuditEvents(slug, filter)) yield { text: csvLines(events), entries: events.length }
}
