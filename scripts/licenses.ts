import type { ShippedPackage } from './shipped-packages.ts'

const RULE = '-'.repeat(80)

/** The licences of all that is shipped: a list to look through, what comes without a text, then the texts, each once. */
export function licensesText(installed: ShippedPackage[], bundled: ShippedPackage[]): string {
  const all = [...installed, ...bundled]
  const withoutText = all.filter(({ text }) => text === '')
  return [
    'Licences of what the Edge Management Portal is shipped with.',
    '',
    `Installed beside it (${installed.length}):`,
    '',
    ...installed.map(lineOf),
    '',
    `Part of the web interface (${bundled.length}):`,
    '',
    ...bundled.map(lineOf),
    '',
    `Of these, packages without the text of their licence (${withoutText.length}), and who names it:`,
    '',
    ...withoutText.map((one) => `${lineOf(one)}, ${one.statement}`),
    '',
    ...textsOf(all),
  ].join('\n')
}

const lineOf = ({ name, version, license }: ShippedPackage) => `  ${`${name}@${version}`.padEnd(48)} ${license}`

function textsOf(packages: ShippedPackage[]): string[] {
  const byText = Map.groupBy(
    packages.filter(({ text }) => text !== ''),
    ({ text }) => text,
  )
  return [...byText].flatMap(([text, sharing]) => [
    RULE,
    sharing.map(({ name, version }) => `${name}@${version}`).join(', '),
    '',
    text,
    '',
  ])
}
