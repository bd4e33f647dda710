import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inImports, inUses, needsAmong, rule, tree } from './support/architecture-rule.ts'
import { circlesOf, layerOf, mayImport } from './support/layers.ts'
import { isFile, ROOT, type Source } from './support/sources.ts'

const MAX_LINES = 300
/** Not @fastify/proxy-addr, which reads addresses, of any request. */
const WEB_FRAMEWORKS = /^(fastify|@fastify\/(?!proxy-addr$)|graphql|@pothos)\b/
const PARTS_OF_FORMS = /^web\/ui\/(Form|FormDialog|ConfirmDialog|ConfirmButtons|fields|password-fields)\.tsx$/
const RANDOMNESS = /(^|\.)(randomBytes|randomFill|randomFillSync|randomInt|randomUUID|getRandomValues)$|^Math\.random$/
const DEPENDENCIES: string[] = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies)

const isTest = ({ path }: Source) => path.endsWith('.test.ts') || path.startsWith('test/')
const isProduct = (source: Source) => /^(cli|server)\//.test(source.path) && !isTest(source)
const isWeb = (source: Source) => source.path.startsWith('web/') && !isTest(source)
const hasLayer = (source: Source) => isProduct(source) || isWeb(source)
const isTypeFile = ({ path }: Source) => path.endsWith('.graphql.ts')
/** Where people are asked for something. */
const mayAsk = ({ path }: Source) => /^web\/(forms|ui)\//.test(path)
const isDomain = (source: Source) =>
  isProduct(source) &&
  ['slices', 'audit', 'caller', 'db', 'config', 'lib'].includes(layerOf(source.path) ?? '') &&
  !isTypeFile(source)
const mayQuery = (source: Source) => isDomain(source) && ['slices', 'audit', 'db'].includes(layerOf(source.path) ?? '')

rule(
  'imports go one way, down the layers of test/support/layers.ts',
  inImports(hasLayer, ({ path }, { path: to }) => {
    const [here, there] = [layerOf(path), layerOf(to ?? path)]
    if (here && there && !mayImport(here, there)) return `imports ${to}: ${here} must not know ${there}`
    return here && !there ? `imports ${to}, which is in no layer` : undefined
  }),
  {
    'server/lib/planted.ts': `\nimport type { Ctx } from '../caller/ctx.ts'`,
    'cli/planted.ts': `await import('../scripts/x.ts')`,
    'web/forms/users/planted.tsx': `import '../../pages/x.ts'`,
  },
  [
    'server/lib/planted.ts:2 imports server/caller/ctx.ts: lib must not know caller',
    'cli/planted.ts:1 imports scripts/x.ts, which is in no layer',
    'web/forms/users/planted.tsx:1 imports web/pages/x.ts: forms must not know pages',
  ],
)

rule(
  'every file of the product has a place in test/support/layers.ts',
  (sources) => sources.filter((source) => hasLayer(source) && !layerOf(source.path)).map(({ path }) => `${path}:1`),
  { 'server/planted/planted.ts': '', 'web/planted/planted.ts': '' },
  ['server/planted/planted.ts:1', 'web/planted/planted.ts:1'],
)

rule(
  'no file needs itself, however long the way around',
  (sources) => [
    ...circlesOf(needsAmong(sources.filter(isProduct), (path) => path)),
    ...circlesOf(needsAmong(sources.filter(isWeb), (path) => path)),
  ],
  { 'server/lib/a.ts': `import './b.ts'`, 'server/lib/b.ts': `\nimport type { A } from './a.ts'` },
  ['server/lib/a.ts:1 needs server/lib/b.ts, server/lib/b.ts:2 needs server/lib/a.ts'],
)

rule(
  'no slice needs itself, however long the way around',
  (sources) => circlesOf(needsAmong(sources.filter(isProduct), (path) => path.split('/').slice(0, 2).join('/'))),
  {
    'server/planted/a.ts': `import '../sown/b.ts'`,
    'server/planted/c.ts': '',
    'server/sown/b.ts': `import '../planted/c.ts'`,
  },
  ['server/planted/a.ts:1 needs server/sown, server/sown/b.ts:1 needs server/planted'],
)

/** For tests: random input with the seed of the run. */
const EVERYTHING = ['...', 'process.env'].join('')
const SEEDED = 'test/support/fast-check.ts'

rule(
  'the web interface and the server know each other by schema.graphql only',
  inImports(
    ({ path }) => !path.startsWith('test/'),
    ({ path }, { path: to }) =>
      to !== undefined && to !== SEEDED && path.startsWith('web/') !== to.startsWith('web/')
        ? `imports ${to}`
        : undefined,
  ),
  { 'web/planted.ts': `import '../server/lib/page.ts'`, 'server/http/planted.ts': `import '../../web/paths.ts'` },
  ['web/planted.ts:1 imports server/lib/page.ts', 'server/http/planted.ts:1 imports web/paths.ts'],
)

rule(
  'dialogs and forms are in web/forms/, and what they are made of is in web/ui/',
  (sources) => [
    ...inUses(
      (source) => isWeb(source) && !mayAsk(source),
      (name) => name === 'Modal',
    )(sources),
    ...inImports(
      (source) => isWeb(source) && !mayAsk(source),
      (_source, { path: to = '' }) => (PARTS_OF_FORMS.test(to) ? `imports ${to}` : undefined),
    )(sources),
  ],
  {
    'web/pages/planted.tsx': `import { Modal } from '@mantine/core'\nimport { Form } from '../ui/Form.tsx'`,
    'web/forms/users/planted.tsx': `import { FormDialog } from '../../ui/FormDialog.tsx'`,
  },
  ['web/pages/planted.tsx:1 uses Modal', 'web/pages/planted.tsx:2 imports web/ui/Form.tsx'],
)

rule(
  'only tests import test/, and only bench/ imports bench/',
  inImports(
    () => true,
    (source, { path: to = '' }) =>
      (to.startsWith('test/') && !isTest(source)) || (to.startsWith('bench/') && !source.path.startsWith('bench/'))
        ? `imports ${to}`
        : undefined,
  ),
  { 'bench/planted.ts': `import '../test/support/world/world.ts'`, 'scripts/planted.ts': `import '../bench/main.ts'` },
  ['bench/planted.ts:1 imports test/support/world/world.ts', 'scripts/planted.ts:1 imports bench/main.ts'],
)

rule(
  'queries are written in db/ and in domain files, never in *.graphql.ts',
  inImports(
    (source) => isProduct(source) && !mayQuery(source),
    (_source, { specifier }) => (/^kysely\b/.test(specifier) ? `imports ${specifier}` : undefined),
  ),
  {
    'server/users/planted.graphql.ts': `import { sql } from 'kysely'`,
    'server/endpoints/planted.ts': `import 'kysely'`,
  },
  ['server/users/planted.graphql.ts:1 imports kysely', 'server/endpoints/planted.ts:1 imports kysely'],
)

rule(
  'domain files import no fastify, graphql or pothos',
  inImports(isDomain, (_source, { specifier }) =>
    WEB_FRAMEWORKS.test(specifier) ? `imports ${specifier}` : undefined,
  ),
  {
    'server/users/planted.ts': `import { GraphQLError } from 'graphql'\nimport type { FastifyRequest } from 'fastify'`,
  },
  ['server/users/planted.ts:1 imports graphql', 'server/users/planted.ts:2 imports fastify'],
)

rule(
  'what runs in production imports only `dependencies` and node: modules',
  inImports(
    (source) => isProduct(source) || source.path.startsWith('bin/'),
    (_source, { specifier, path }) => {
      const known = path || specifier.startsWith('node:') || DEPENDENCIES.some((name) => isOf(name, specifier))
      return known ? undefined : `imports ${specifier}`
    },
  ),
  { 'server/lib/planted.ts': `import fc from 'fast-check'`, 'cli/planted.ts': `import { readFile } from 'fs'` },
  ['server/lib/planted.ts:1 imports fast-check', 'cli/planted.ts:1 imports fs'],
)

rule(
  'only server/config.ts reads process.env',
  inUses(
    (source) => isProduct(source) && source.path !== 'server/config.ts',
    (name) => name === 'process.env' || name === 'env',
  ),
  {
    'cli/planted.ts': `const { env } = process\n\nprocess.env['PORT']`,
    'server/app.ts': `import { env } from 'node:process'`,
  },
  ['cli/planted.ts:1 uses process.env', 'cli/planted.ts:3 uses process.env', 'server/app.ts:1 uses env'],
)

rule(
  'a test starts a process with plainEnv() and what it needs, not with all that is set where it runs',
  (sources) =>
    sources
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, i) => (line.includes(EVERYTHING) ? `${path}:${i + 1} passes process.env on` : [])),
      ),
  { 'server/planted.test.ts': `spawn('sh', { env: { ${EVERYTHING}, SECRET: 'x' } })` },
  ['server/planted.test.ts:1 passes process.env on'],
)

rule(
  'only server/lib/clock.ts asks what time it is',
  inUses(
    (source) => isProduct(source) && source.path !== 'server/lib/clock.ts',
    (name) => ['Date.now', 'new Date()', 'Date()'].includes(name),
  ),
  { 'server/users/planted.ts': 'const at = new Date(5)\nconst now = [Date.now, new Date(), Date()]' },
  ['Date.now', 'new Date()', 'Date()'].map((name) => `server/users/planted.ts:2 uses ${name}`),
)

rule(
  'randomness comes from server/lib/ and server/secrets/ alone',
  inUses(
    (source) => isProduct(source) && !['lib', 'secrets'].includes(layerOf(source.path) ?? ''),
    (name) => RANDOMNESS.test(name),
  ),
  {
    'server/users/planted.ts': `import { randomBytes as some } from 'node:crypto'\nMath.random()\ncrypto.randomUUID()`,
  },
  [
    'server/users/planted.ts:1 uses randomBytes',
    'server/users/planted.ts:2 uses Math.random',
    'server/users/planted.ts:3 uses crypto.randomUUID',
  ],
)

rule(
  'there are no barrels: what is imported is imported from where it is defined',
  (sources) => [
    ...sources.filter(({ path }) => /(^|\/)index\.\w+$/.test(path)).map(({ path }) => `${path}:1 is a barrel by name`),
    ...inImports(
      () => true,
      (_source, { specifier, forwards }) => (forwards ? `forwards ${specifier}` : undefined),
    )(sources),
  ],
  { 'server/users/index.ts': `export * from './user.ts'\nexport { a } from './a.ts'` },
  [
    'server/users/index.ts:1 is a barrel by name',
    'server/users/index.ts:1 forwards ./user.ts',
    'server/users/index.ts:2 forwards ./a.ts',
  ],
)

rule(
  'an import of ours names the file in full',
  inImports(
    () => true,
    (_source, { specifier, path }) =>
      path && !/\.(ts|tsx|json)$/.test(path) && !isFile(path.replace('?inline', ''))
        ? `imports ${specifier}`
        : undefined,
  ),
  { 'cli/planted.ts': `import '../server/ctx'\nimport '../server/ctx.js'\nimport '../scripts/setup.js'` },
  ['cli/planted.ts:1 imports ../server/ctx', 'cli/planted.ts:2 imports ../server/ctx.js'],
)

rule(
  'server/endpoints/schema.ts imports every *.graphql.ts and defines nothing but the schema',
  (sources) => {
    const schema = sources.find(({ path }) => path === 'server/endpoints/schema.ts')
    const imported = new Set(schema?.imports.map(({ path }) => path))
    const missing = sources.filter((source) => isTypeFile(source) && !imported.has(source.path))
    const more = schema?.statements.filter(({ name }) => name !== 'ImportDeclaration' && name !== 'export schema') ?? []
    return [
      ...missing.map(({ path }) => `server/endpoints/schema.ts:1 does not import ${path}`),
      ...more.map(({ name, line }) => `server/endpoints/schema.ts:${line} has a ${name}`),
    ]
  },
  {
    'server/endpoints/schema.ts': `${tree
      .filter(isTypeFile)
      .map(({ path }) => `import '../../${path}';`)
      .join('')}\nfunction more() {}\nexport const schema = 1`,
    'server/users/planted.graphql.ts': '',
  },
  [
    'server/endpoints/schema.ts:1 does not import server/users/planted.graphql.ts',
    'server/endpoints/schema.ts:2 has a FunctionDeclaration',
  ],
)

rule(
  `a file is shorter than ${MAX_LINES} lines`,
  (sources) =>
    sources.filter(({ lines }) => lines.length >= MAX_LINES).map(({ path, lines }) => `${path}:${lines.length}`),
  { 'server/users/planted.ts': '\n'.repeat(MAX_LINES), 'server/users/fits.ts': '\n'.repeat(MAX_LINES - 1) },
  [`server/users/planted.ts:${MAX_LINES}`],
)

rule(
  'types are honest: no `any`, no `!`, no compiler told to look away',
  (sources) => [
    ...inUses(
      () => true,
      (name) => name === 'any' || name === '!',
    )(sources),
    ...sources.flatMap(({ path, lines }) =>
      lines.flatMap((line, i) =>
        /@ts-(ignore|nocheck|expect-error)/.test(line) ? `${path}:${i + 1} hides an error` : [],
      ),
    ),
  ],
  { 'server/users/planted.ts': `const a = b as any\nconst c = a!.d\n// @ts-${'ignore'}` },
  [
    'server/users/planted.ts:1 uses any',
    'server/users/planted.ts:2 uses !',
    'server/users/planted.ts:3 hides an error',
  ],
)

const isOf = (dependency: string, specifier: string) =>
  specifier === dependency || specifier.startsWith(`${dependency}/`)
