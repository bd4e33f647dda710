import { test } from 'vitest'
import { joined } from './people.ts'
import type { World } from './world.ts'

/*
 * In every world Ada is the Admin of Acme, Bob a Member, and there is a key and the calls by it. Each is made when a test first asks for it.
 * A file has one `it`: each test function made here or by `extend` would open a world of its own.
 */

/** One world for the tests of a file, which share all that is in it. */
export const inWorld = <W extends World>(start: () => Promise<W>) =>
  inOneWorld(start)
    .extend('ada', { scope: 'file' }, ({ world }) => world.signUp('Ada'))
    .extend('acme', { scope: 'file' }, ({ world, ada }) => world.organization('Acme', { admin: ada }))
    .extend('bob', { scope: 'file' }, ({ world, acme }) => joined(world, acme, 'Bob', 'MEMBER'))
    .extend('key', { scope: 'file' }, ({ acme }) => acme.generateKey())
    .extend('call', { scope: 'file' }, ({ world, key }) => world.asKey(key.secret).call)

/** One world for the tests of a file, and in it an organization of its own for each test. */
export const inOrganization = <W extends World>(start: () => Promise<W>) =>
  inOneWorld(start)
    .extend('ada', ({ world }) => world.signUp('Ada'))
    .extend('acme', ({ world, ada }) => world.organization('Acme', { admin: ada }))
    .extend('bob', ({ world, acme }) => joined(world, acme, 'Bob', 'MEMBER'))
    .extend('key', ({ acme }) => acme.generateKey())

/** A world of its own for each test. */
export const inOwnWorld = <W extends World>(start: () => Promise<W>) =>
  test
    .extend('start', () => start)
    .extend('world', async ({ start }, { onCleanup }) => {
      const world = await start()
      onCleanup(world.close)
      return world
    })
    .extend('ada', ({ world }) => world.signUp('Ada'))
    .extend('acme', ({ world, ada }) => world.organization('Acme', { admin: ada }))

const inOneWorld = <W extends World>(start: () => Promise<W>) =>
  test
    .extend('start', { scope: 'file' }, () => start)
    .extend('world', { scope: 'file' }, async ({ start }, { onCleanup }) => {
      const world = await start()
      onCleanup(world.close)
      return world
    })
