import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { type AuditEventFilter, allAuditEvents, countAuditEvents } from '../../api/audit.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { csvHead, csvLines } from './csv.ts'
import { dayOf } from './filter.ts'

const DOWNLOAD_MS = 60_000

interface Progress {
  done: number
  of: number
}

/** Saves everything that fits the filter as a file, made here in the browser; it says how far it is, and can be stopped. */
export function ExportCsv({ slug, filter }: { slug: string; filter: AuditEventFilter }) {
  const [progress, setProgress] = useState<Progress>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const save = async () => {
    const stop = new AbortController()
    running.current = stop
    setProgress({ done: 0, of: 0 })
    try {
      const file = await gather(slug, filter, (now) => stop.signal.aborted || setProgress(now), stop.signal)
      if (!file) return
      download(file, `audit-${slug}-${dayOf(new Date())}.csv`)
      notifyDone('CSV file downloaded.')
    } catch (error) {
      if (error instanceof Error && !stop.signal.aborted) notifyError(error)
    } finally {
      if (running.current === stop) setProgress(undefined)
    }
  }

  const cancel = () => {
    running.current?.abort()
    running.current = undefined
    setProgress(undefined)
  }

  if (!progress) {
    return (
      <Button variant="default" onClick={save}>
        Export CSV
      </Button>
    )
  }
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        Exporting … {progress.of > 0 && `${progress.done.toLocaleString()} of ${progress.of.toLocaleString()}`}
      </Text>
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  )
}

/** The whole file, or nothing when it was stopped. */
async function gather(
  slug: string,
  filter: AuditEventFilter,
  tell: (progress: Progress) => void,
  stop: AbortSignal,
): Promise<Blob | undefined> {
  const of = await countAuditEvents(slug, filter)
  const parts = [csvHead()]
  let done = 0
  for await (const events of allAuditEvents(slug, filter)) {
    if (stop.aborted) return undefined
    parts.push(csvLines(events))
    done += events.length
    tell({ done, of: Math.max(of, done) })
  }
  return stop.aborted ? undefined : new Blob(parts, { type: 'text/csv;charset=utf-8' })
}

function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_MS) // the browser reads it after the click
}
