/** How a receiver checks a signature, without a library. Both compare in constant time, and refuse what is old. */
export const SAMPLES = {
  Node: `import { createHmac, timingSafeEqual } from 'node:crypto'

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64')

/** The body as it arrived, before it is parsed. */
export function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - time) < 300)) return false
  const wanted = Buffer.from(\`v1,\${createHmac('sha256', key).update(\`\${id}.\${time}.\${body}\`).digest('base64')}\`)
  const given = signatures.split(' ').map((signature) => Buffer.from(signature))
  return given.some((signature) => signature.length === wanted.length && timingSafeEqual(signature, wanted))
}`,
  Python: `import base64, hashlib, hmac, os, time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_signed(headers, body: bytes) -> bool:
    """The body as it arrived, before it is parsed."""
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256")).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature, wanted) for signature in given)`,
} as const
