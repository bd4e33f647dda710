/**
 * Whether a text looks like words, dates and counters rather than like the output of a generator. It compares how
 * probable the text is under two models: one in which words and numbers follow each other, and one in which each
 * character is drawn at random. See docs/decisions/0039.
 */
export function isReadable(text: string): boolean {
  const hasBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text)
  const drawnFrom = Math.log2(ALPHABETS.reduce((sum, [used, size]) => sum + (used.test(text) ? size : 0), 0))
  const bits = pairsOf(text).reduce((sum, pair) => sum + Math.log2(probability(pair, hasBothCases)) + drawnFrom, 0)
  return bits > (hasBothCases ? MAX_BITS.bothCases : MAX_BITS.oneCase)
}

/** How much more probable it may be as a readable text. Few generators leave out a case, and most people do. */
const MAX_BITS = { bothCases: 20, oneCase: 12 }

/** Of which characters a text is drawn, by those that it has. */
const ALPHABETS: readonly [used: RegExp, size: number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[^a-zA-Z\d]/, 2],
]

type Kind = 'vowel' | 'consonant' | 'digit' | 'separator'

/** What follows what in words, dates and counters. */
const NEXT: Record<Kind, Record<Kind, number>> = {
  vowel: { vowel: 0.12, consonant: 0.72, digit: 0.05, separator: 0.11 },
  consonant: { vowel: 0.47, consonant: 0.35, digit: 0.06, separator: 0.12 },
  digit: { vowel: 0.02, consonant: 0.04, digit: 0.74, separator: 0.2 },
  separator: { vowel: 0.15, consonant: 0.35, digit: 0.45, separator: 0.05 },
}

/** How often each occurs among the vowels and among the consonants of texts in English; other languages are similar. */
const VOWELS = frequencies({ e: 11, aio: 9, u: 4, y: 2 })
const CONSONANTS = frequencies({ tn: 9, shrdlc: 4.5, mwfgpbv: 2, kjxqz: 0.4 })

const DIGIT = 0.1
const SEPARATOR = 0.4
/** In the middle of a word, a capital rarely follows a small one. */
const UPPER_AFTER_LOWER = 0.06
/** How often a character is the one after its neighbour, as in 1234 and abcd. */
const COUNTED = 0.25

function frequencies(weights: Record<string, number>): Map<string, number> {
  const each = Object.entries(weights).flatMap(([letters, weight]) =>
    [...letters].map((letter) => [letter, weight] as const),
  )
  const sum = each.reduce((total, [, weight]) => total + weight, 0)
  return new Map(each.map(([letter, weight]) => [letter, weight / sum]))
}

type Pair = readonly [before: string, after: string]

const pairsOf = (text: string): Pair[] => [...text].slice(1).map((after, index) => [text.charAt(index), after])

/** Of the second character after the first, in a readable text. */
function probability([before, after]: Pair, hasBothCases: boolean): number {
  if (after.charCodeAt(0) - before.charCodeAt(0) === 1) return COUNTED
  const [from, to] = [kindOf(before), kindOf(after)]
  return NEXT[from][to] * frequencyOf(after, to) * (hasBothCases ? ofCase(before, after) : 1)
}

function kindOf(character: string): Kind {
  const letter = character.toLowerCase()
  if (VOWELS.has(letter)) return 'vowel'
  if (CONSONANTS.has(letter)) return 'consonant'
  return /\d/.test(character) ? 'digit' : 'separator'
}

function frequencyOf(character: string, kind: Kind): number {
  if (kind === 'digit') return DIGIT
  if (kind === 'separator') return SEPARATOR
  return (kind === 'vowel' ? VOWELS : CONSONANTS).get(character.toLowerCase()) ?? 0
}

function ofCase(before: string, after: string): number {
  if (!/[a-z]/i.test(after)) return 1
  if (!/[a-z]/.test(before)) return 0.5 // where a word begins, or behind its first character
  return /[A-Z]/.test(after) ? UPPER_AFTER_LOWER : 1 - UPPER_AFTER_LOWER
}
