import { expect, it } from 'vitest'
import { shareOf } from './profile-share.ts'

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 0 },
  children,
})

it('a share includes what its files call, excludes other files, and ignores idle time', () => {
  const profile = {
    nodes: [
      node(1, '(root)', '', [2, 3, 5]),
      node(2, '(idle)', ''),
      node(3, 'observe', 'file:///metrics.ts', [4]),
      node(4, 'inc', 'file:///prom-client.js'),
      node(5, 'handle', 'file:///door.ts'),
    ],
    samples: [2, 2, 2, 3, 4, 5, 5, 1],
  }
  const isOf = (name: string) => (files: readonly string[]) => files.some((file) => file.endsWith(name))
  expect(shareOf(profile, isOf('metrics.ts'))).toBe(2 / 5)
  expect(shareOf(profile, isOf('prom-client.js'))).toBe(1 / 5)
  expect(shareOf(profile, isOf('nowhere.ts'))).toBe(0)
})
