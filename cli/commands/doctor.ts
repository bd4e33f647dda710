import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { type Examined, examine } from '../../server/doctor/examine.ts'
import { addCommand } from '../command.ts'
import { Reported } from '../errors.ts'
import { print, printJson, type Terminal } from '../terminal.ts'

const SIGNS = { success: 'ok', warning: 'warning', failure: 'FAILURE' }
const WIDTH = Math.max(...Object.values(SIGNS).map(({ length }) => length))

export function addDoctor(program: Command, terminal: Terminal): void {
  addCommand(program, {
    name: 'doctor',
    message:
      'Check the whole installation and say what to do: settings, files, database, ledger, backups, mail, Valkey, proxy. Changes nothing. Exits with 1 if there is a failure.',
    example: 'doctor',
  }).action(async ({ json = false }: { json?: boolean }) => {
    const onProgress = (words: string) => {
      if (!json) print(terminal.stderr, `${words} …\n`)
    }
    const examined = await examine(terminal.env, onProgress)
    if (json) printJson(terminal.stdout, documentOf(examined))
    else print(terminal.stdout, `${reportOf(examined)}\n`)
    if (hasFailed(examined)) throw new Reported(1)
  })
}

const hasFailed = (examined: Examined[]) => examined.some(({ level }) => level === 'failure')

const documentOf = (examined: Examined[]) => ({
  version: manifest.version,
  ok: !hasFailed(examined),
  checks: examined.map(({ check, level, message, action = null }) => ({ check, level, message, action })),
})

function reportOf(examined: Examined[]): string {
  const lines = examined.flatMap(({ check, level, message, action }) => [
    `${SIGNS[level].padEnd(WIDTH)}  ${check}: ${message}`,
    ...(action ? [`${' '.repeat(WIDTH)}  → ${action}`] : []),
  ])
  return [...lines, '', summaryOf(examined)].join('\n')
}

function summaryOf(examined: Examined[]): string {
  const count = (level: Examined['level']) => examined.filter((each) => each.level === level).length
  const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  return `${plural(count('failure'), 'failure')}, ${plural(count('warning'), 'warning')}.`
}
