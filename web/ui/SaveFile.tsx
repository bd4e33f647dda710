import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { notifyDone, notifyError } from './notify.ts'

interface SaveFileProps extends FileContent {
  /** What the button says. */
  label: string
  /** Once the file is there. */
  done: string
  name: () => string
}

/** Saves a complete list as a file, made here in the browser; it says how far it is, and can be stopped. */
export function SaveFile({ label, done, name, ...content }: SaveFileProps) {
  const [progress, setProgress] = useState<FileProgress>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const save = async () => {
    const stop = new AbortController()
    running.current = stop
    setProgress({ done: 0, of: 0 })
    try {
      const file = await gather(content, (now) => stop.signal.aborted || setProgress(now), stop.signal)
      if (!file) return
      download(file, name())
      notifyDone(done)
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
        {label}
      </Button>
    )
  }
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        Exporting… {progress.of > 0 && `${progress.done.toLocaleString()} of ${progress.of.toLocaleString()}`}
      </Text>
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  )
}

const DOWNLOAD_MS = 60_000

export interface FilePart {
  text: string
  /** How many entries it holds. */
  entries: number
}

export interface FileProgress {
  done: number
  /** Zero while nobody knows yet. */
  of: number
}

interface FileContent {
  type: string
  count: () => Promise<number>
  /** The content, fetched as it is read. */
  parts: () => AsyncGenerator<FilePart>
}

/** The whole file, or nothing when it was stopped. */
export async function gather(
  { type, count, parts }: FileContent,
  tell: (progress: FileProgress) => void,
  stop: AbortSignal,
): Promise<Blob | undefined> {
  const of = await count()
  const texts: string[] = []
  let done = 0
  for await (const { text, entries } of parts()) {
    if (stop.aborted) return undefined
    texts.push(text)
    done += entries
    tell({ done, of: Math.max(of, done) })
  }
  return stop.aborted ? undefined : new Blob(texts, { type })
}

/** Saves a file that was made here in the browser. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_MS) // the browser reads it after the click
}
