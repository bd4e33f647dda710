const EVERY_MS = 5000

/** The progress, on one line of the terminal; elsewhere a line every few seconds. */
export interface Progress {
  say(words: string): void
  done(): void
}

export function createProgress(out: NodeJS.WriteStream = process.stderr): Progress {
  const start = performance.now()
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    say(words) {
      const now = performance.now()
      const line = `${String(Math.round((now - start) / 1000)).padStart(4)} s  ${words}`
      if (out.isTTY) out.write(`\r\u001b[K${line.slice(0, out.columns - 1)}`)
      else if (now - saidAt >= EVERY_MS) out.write(`${line}\n`)
      else return
      saidAt = now
    },
    done() {
      if (out.isTTY) out.write('\r\u001b[K')
    },
  }
}
