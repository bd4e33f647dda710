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

export interface FileContent {
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
