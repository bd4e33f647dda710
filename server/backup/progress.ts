export interface Progress {
  rows: number
  of: number
}

export type OnProgress = (progress: Progress) => void

/** How whoever started it follows a long piece of work, and ends it early. */
export interface Watch {
  onProgress?: OnProgress | undefined
  signal?: AbortSignal | undefined
}
