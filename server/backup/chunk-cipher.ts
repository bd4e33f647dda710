import { argon2, createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/*
 * A backup is a sequence of chunks. Each has a tag, by which a chunk that was changed, moved, left out or added is
 * noticed before anything of it is used. With a passphrase the chunks are encrypted and the tags are those of
 * AES-256-GCM; without, they are checksums, which a person can forge and a disk cannot.
 */

export const TAG_BYTES = 16
const NONCE_BYTES = 12
const KEY_BYTES = 32
/** Some 200 ms and 64 MiB: for every passphrase that is tried. */
const COST = { memory: 65_536, passes: 3, parallelism: 1 } as const
const CIPHER = 'aes-256-gcm'

export interface ChunkCipher {
  close(payload: Buffer, position: ChunkPosition): { payload: Buffer; tag: Buffer }
  /** Undefined: it is not the chunk that was written there. */
  open(payload: Buffer, tag: Buffer, position: ChunkPosition): Buffer | undefined
}

export interface ChunkPosition {
  index: number
  isLast: boolean
}

/** The header is part of what the tags are about. */
export function checksums(header: Buffer): ChunkCipher {
  const tagOf = (payload: Buffer, position: ChunkPosition) =>
    hash('sha256', Buffer.concat([header, nonceOf(position), payload]), 'buffer').subarray(0, TAG_BYTES)
  return {
    close: (payload, position) => ({ payload, tag: tagOf(payload, position) }),
    open: (payload, tag, position) => (tagOf(payload, position).equals(tag) ? payload : undefined),
  }
}

/** A key is used for one backup only, so counting the chunks makes every nonce unique. */
export function encryption(header: Buffer, key: Buffer): ChunkCipher {
  return {
    close(payload, position) {
      const cipher = createCipheriv(CIPHER, key, nonceOf(position), { authTagLength: TAG_BYTES }).setAAD(header)
      return { payload: Buffer.concat([cipher.update(payload), cipher.final()]), tag: cipher.getAuthTag() }
    },
    open(payload, tag, position) {
      const decipher = createDecipheriv(CIPHER, key, nonceOf(position), { authTagLength: TAG_BYTES })
      decipher.setAAD(header).setAuthTag(tag)
      const opened = decipher.update(payload)
      try {
        return Buffer.concat([opened, decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

export interface Keys {
  chunks: Buffer
  /** In the header, so that a wrong passphrase and a damaged file give different errors. */
  check: string
}

/** The keys of one backup, which has a salt of its own. */
export async function keysFrom(passphrase: string, salt: Buffer): Promise<Keys> {
  const message = Buffer.from(passphrase.normalize('NFC'))
  const derived = await promisify(argon2)('argon2id', { message, nonce: salt, tagLength: KEY_BYTES, ...COST })
  return {
    chunks: Buffer.from(hkdfSync('sha256', derived, '', 'backup chunks', KEY_BYTES)),
    check: createHmac('sha256', derived)
      .update('backup passphrase')
      .digest('hex')
      .slice(0, 2 * TAG_BYTES),
  }
}

export const isSameCheck = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

function nonceOf({ index, isLast }: ChunkPosition): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(index))
  nonce.writeUInt8(isLast ? 1 : 0, NONCE_BYTES - 1)
  return nonce
}
