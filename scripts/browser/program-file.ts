import { open } from 'node:fs/promises'

/** The offset of the CPU type in an ELF file, and its values. */
const ELF = Buffer.from('\x7fELF', 'latin1')
const ELF_CPU_AT = 18
const CPUS: Record<number, string> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64' }

/**
 * Why Linux could not run this file; undefined if it can. Checked before the file is started: the C library passes a
 * file that the kernel does not recognize to a shell, which would run the bytes of a foreign program as commands.
 */
export async function whyNotRunnable(path: string, arch: string): Promise<string | undefined> {
  const head = await readHead(path).catch(() => undefined)
  if (!head) return 'cannot be read'
  if (head.subarray(0, 2).toString('latin1') === '#!') return undefined
  if (head.length < ELF_CPU_AT + 2 || !head.subarray(0, ELF.length).equals(ELF)) return 'is not a program'
  const cpu = head.readUInt16LE(ELF_CPU_AT)
  if (CPUS[cpu] === arch) return undefined
  return `is built for ${CPUS[cpu] ?? `another CPU (${cpu})`}, and this machine is ${arch}`
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
