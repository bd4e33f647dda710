import { rule } from '../support/architecture-rule.ts'

/** `(5).toLocaleString('en')`, `new Intl.NumberFormat('en')`. */
const FIXED_LANGUAGE = /\.toLocale\w*String\(\s*['"`[]|\bnew Intl\.\w+\(\s*['"`[]/

rule(
  'numbers and dates of the web interface are in the language of the browser',
  (sources) =>
    sources
      .filter(({ path }) => path.startsWith('web/'))
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, i) => (FIXED_LANGUAGE.test(line) ? `${path}:${i + 1} names a language` : [])),
      ),
  { 'web/ui/planted.ts': `(5).toLocaleString()\n(5).toLocaleString('en')\nnew Intl.NumberFormat('en')` },
  ['web/ui/planted.ts:2 names a language', 'web/ui/planted.ts:3 names a language'],
)
