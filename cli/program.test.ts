import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createProgram } from './program.ts'

/** All that do something: a group has no argument of its own. */
const leavesOf = (command: Command): Command[] => {
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
  return [...(isGroup ? [] : [command]), ...command.commands.flatMap(leavesOf)]
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : 'npx portal'

const leaves = leavesOf(createProgram()).map((command) => ({ path: pathOf(command), command }))

it('has the commands of DESIGN.md, section 6', () => {
  expect(leaves.map(({ path }) => path)).toEqual(
    [
      'serve',
      'migrate',
      'doctor',
      'org create',
      'org list',
      'org api-keys',
      'org policy',
      'org emails',
      'user create',
      'user invite',
      'user reset',
      'support grant',
      'support revoke',
      'key generate',
      'key list',
      'key show',
      'key update',
      'key pause',
      'key resume',
      'key rotate',
      'key revoke',
      'key prune',
      'key changes',
      'key leaked',
      'key canary generate',
      'key canary list',
      'key canary delete',
      'device list',
      'device show',
      'device create',
      'device update',
      'device delete',
      'device check-in',
      'api',
      'audit export',
      'backup',
      'backup verify',
      'restore',
      'restore accept',
    ].map((path) => `npx portal ${path}`),
  )
})

describe.each(leaves)('$path', ({ path, command }) => {
  it('takes --json', () => expect(command.options.map(({ long }) => long)).toContain('--json'))

  it('has a description and an example of its own', () => {
    let help = ''
    command.configureOutput({ writeOut: (words) => (help += words) }).outputHelp()
    expect(command.description()).toMatch(/^[A-Z].*\.$/)
    expect(help).toMatch(new RegExp(`Example:\n  ${path}\\b`))
  })

  it('describes each option and argument, and accepts no secret in any of them', () => {
    const parts = [...command.options, ...command.registeredArguments]
    expect(parts.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([])
    expect(parts.map((part) => part.name()).join(' ')).not.toMatch(/password|secret(?!-file)|token/)
  })
})
