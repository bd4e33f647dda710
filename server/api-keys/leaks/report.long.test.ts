import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/fast-check.ts'
import { AppError } from '../../lib/app-error.ts'
import { mintSecret } from '../../secrets/secret.ts'
import { MAX_ENTRIES, parseReport, placeOf } from './report.ts'

/** The entries, or the code of the refusal; everything else is a bug. */
function outcomeOf(body: Buffer) {
  try {
    return parseReport(body)
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

const entry = fc.oneof(
  fc.anything(),
  fc.record({ token: fc.anything(), type: fc.anything(), url: fc.anything(), source: fc.anything() }),
  fc.record({ token: fc.string(), type: fc.string(), url: fc.webUrl(), source: fc.string({ unit: 'binary' }) }),
)

describe('the body of a report', () => {
  it('is refused or understood, whatever bytes it has', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const outcome = outcomeOf(Buffer.from(bytes))
        expect(typeof outcome === 'string' ? outcome : 'BAD_REQUEST').toBe('BAD_REQUEST')
      }),
    )
  })

  it('has entries of bounded length, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const text = JSON.stringify(entries) ?? ''
        const outcome = outcomeOf(Buffer.from(text))
        expect(outcome).toBeInstanceOf(Array)
        for (const { token, type, url, source } of outcome as ReturnType<typeof parseReport>) {
          expect([token.length > 0, type.length <= 100, url.length <= 500, source.length <= 50]).not.toContain(false)
          expect(type + url + source).toSatisfy((text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text))
        }
      }),
    )
  })

  it('has at most 1,000 entries', () => {
    expect(outcomeOf(Buffer.from(JSON.stringify(Array(MAX_ENTRIES).fill({ token: 'x' }))))).toHaveLength(1000)
    expect(outcomeOf(Buffer.from(JSON.stringify(Array(MAX_ENTRIES + 1).fill({ token: 'x' }))))).toBe(
      'PAYLOAD_TOO_LARGE',
    )
  })

  it('may have a secret in its addresses in any writing, and none is in what is stored', () => {
    const secret = mintSecret('emp_')
    const end = secret.slice(-12)
    const escaped = fc
      .array(fc.boolean(), { minLength: secret.length, maxLength: secret.length })
      .map((which) => [...secret].map((each, i) => (which[i] ? `%${each.charCodeAt(0).toString(16)}` : each)).join(''))
    fc.assert(
      fc.property(escaped, fc.webUrl(), fc.boolean(), (hidden, url, isTwice) => {
        const given = `${url}/${isTwice ? hidden.replaceAll('%', '%25') : hidden}`
        const { url: shown } = placeOf(given, '')
        const plain = shown
          .replace(/%25/g, '%')
          .replace(/%(\w\w)/g, (_, code) => String.fromCharCode(parseInt(code, 16)))
        expect(plain).not.toContain(end)
      }),
    )
  })
})
