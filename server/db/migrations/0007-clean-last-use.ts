import type { Step } from '../migration-steps.ts'

export const name = 'what the last call of a key left behind, without secrets and control characters'

/** Control characters, line separators and direction overrides. */
const CONTROL_CHARACTERS = [
  [0x01, 0x1f],
  [0x7f, 0x9f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
].flatMap(([from = 0, to = 0]) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCharCode(from + i)))

/** How secrets begin; with a backslash before characters that are wildcards in `like`. */
const SECRETS = ['p', 's', 'i', 'r', 'v'].flatMap((kind) => [`em${kind}\\_`, `em${kind}\\%5F`])

/** Whether the column contains what is no longer stored today. Little is lost: the next call fills it again. */
const isUnfit = (column: string, most: number) =>
  [
    `length(${column}) > ${most}`,
    ...[...SECRETS, ...CONTROL_CHARACTERS].map((part) => `${column} like '%${part}%' escape '\\'`),
  ].join(' or ')

export const up = (): Step[] => [
  { table: 'apiKey', set: '"lastUsedAgent" = null', where: isUnfit('"lastUsedAgent"', 200) },
  { table: 'apiKey', set: '"lastUsedFor" = null', where: isUnfit('"lastUsedFor"', 80) },
]
