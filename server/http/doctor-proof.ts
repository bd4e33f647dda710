import { createHmac, timingSafeEqual } from 'node:crypto'
import { MINUTE } from '../lib/clock.ts'

/** The request header with the proof. */
export const PROOF_HEADER = 'portal-doctor'
const CLOCKS_APART_MINUTES = 10
const SHAPE = /^[0-9a-f]{64}$/

/** Shows that the sender can read the database that the portal uses. Valid for some minutes, so it may be logged. */
export const doctorProof = (installation: string, now: number): string =>
  proofOfMinute(installation, Math.floor(now / MINUTE)).toString('hex')

export const isProofShaped = (text: unknown): text is string => typeof text === 'string' && SHAPE.test(text)

export function isDoctorProof(text: string, installation: string, now: number): boolean {
  if (installation === '' || !isProofShaped(text)) return false
  const given = Buffer.from(text, 'hex')
  const minute = Math.floor(now / MINUTE)
  for (let apart = -CLOCKS_APART_MINUTES; apart <= CLOCKS_APART_MINUTES; apart++)
    if (timingSafeEqual(given, proofOfMinute(installation, minute + apart))) return true
  return false
}

const proofOfMinute = (installation: string, minute: number) =>
  createHmac('sha256', installation).update(`portal doctor ${minute}`).digest()
