import { allKeyChanges, countKeyChanges, type WantedChanges } from '../../api/key-changes.ts'
import { csvHead } from '../../ui/csv-line.ts'
import { SaveFile } from '../../ui/SaveFile.tsx'

import { dayOf } from '../audit/audit-search.ts'
import { changesCsv, HEADINGS } from './changes-file.ts'

interface DownloadChangesProps {
  slug: string
  wanted: WantedChanges
}

/** All changes as a file, not only those on the page. */
export function DownloadChanges({ slug, wanted }: DownloadChangesProps) {
  const name = (extension: string) => `changes-${wanted.id}-${dayOf(new Date())}.${extension}`
  const count = () => countKeyChanges(slug, wanted)
  return (
    <>
      <SaveFile
        label="Download CSV"
        done="CSV file downloaded."
        name={() => name('csv')}
        type="text/csv;charset=utf-8"
        count={count}
        parts={() => csvParts(slug, wanted)}
      />
      <SaveFile
        label="Download JSON"
        done="JSON file downloaded."
        name={() => name('json')}
        type="application/json"
        count={count}
        parts={() => jsonParts(slug, wanted)}
      />
    </>
  )
}

async function* csvParts(slug: string, wanted: WantedChanges) {
  yield { text: csvHead(HEADINGS), entries: 0 }
  for await (const events of allKeyChanges(slug, wanted)) yield { text: changesCsv(events), entries: events.length }
}

async function* jsonParts(slug: string, wanted: WantedChanges) {
  yield { text: '[', entries: 0 }
  let isFirst = true
  for await (const events of allKeyChanges(slug, wanted)) {
    const text = events.map((event) => JSON.stringify(event)).join(',\n')
    yield { text: isFirst || text === '' ? text : `,\n${text}`, entries: events.length }
    isFirst = false
  }
  yield { text: ']\n', entries: 0 }
}
