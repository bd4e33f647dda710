export const name = 'what the last call of a key left behind, without secrets and control characters'

/** Control characters, separators of lines and overrides of direction. */
const STEERING = [
  [0x01, 0x1f],
  [0x7f, 0x9f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
].flatMap(([from = 0, to = 0]) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCharCode(from + i)))

/** How secrets begin; a backslash stands before what would mean any character. */
const SECRETS = ['p', 's', 'i', 'r', 'v'].flatMap((kind) => [`em${kind}\\_`, `em${kind}\\%5F`])

/** Whether the column holds more than is stored of a call today. Nothing is lost for long: the next call fills it again. */
const isUnfit = (column: string, most: number) =>
  [
    `length(${column}) > ${most}`,
    ...[...SECRETS, ...STEERING].map((part) => `${column} like '%${part}%' escape '\\'`),
  ].join(' or ')

export const up = () => `
update "apiKey" set "lastUsedAgent" = null where ${isUnfit('"lastUsedAgent"', 200)};
update "apiKey" set "lastUsedFor" = null where ${isUnfit('"lastUsedFor"', 80)}
`
