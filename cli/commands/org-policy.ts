import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ApiKeyPolicy, type ApiKeyPolicyInput, apiKeyPolicy } from '../../server/api-keys/policy.ts'
import { type ApiKeyPolicyBreach, apiKeyPolicyBreaches } from '../../server/api-keys/policy-breaches.ts'
import { setApiKeyPolicy } from '../../server/api-keys/policy-change.ts'
import { API_KEY_RULES, type ApiKeyRule } from '../../server/api-keys/policy-rules.ts'
import type { Ctx } from '../../server/ctx.ts'
import { confirm } from '../ask.ts'
import { addCommand, answering } from '../command.ts'
import { enter } from '../inside.ts'
import { withPortal } from '../portal.ts'
import { facts, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { parseDays } from '../time.ts'
import { NotConfirmed } from '../trouble.ts'

interface Options {
  maxKeys?: number | typeof NONE
  longestLife?: number | typeof NONE
  endRequired?: Switch
  labelRequired?: Switch
  networks?: string[] | typeof NONE
  keysManageKeys?: Switch
  refuseBrowsers?: Switch
  applyToExisting?: ApiKeyRule[]
  yes?: boolean
  json?: boolean
}

type Switch = 'on' | 'off'

/** Goes back to the default. Commander takes null for a value that is missing. */
const NONE = 'none'

export function addOrgPolicy(org: Command, terminal: Terminal): void {
  addCommand(org, {
    name: 'policy',
    says: 'Show or change what an organization asks of its keys. Keys that break a rule go on as they were, unless it is applied to them.',
    example: 'org policy acme-edge --longest-life 90d --networks 10.0.0.0/8,2001:db8::/32',
  })
    .argument('<slug>', 'the organization')
    .option('--max-keys <number>', 'active keys at most, 1 to 100, or none', orNone(parseNumber))
    .option('--longest-life <length>', 'how long a new key lives at most, such as 90d, or none', orNone(parseDays))
    .addOption(onOff('--end-required <state>', 'whether a new key needs an end'))
    .addOption(onOff('--label-required <state>', 'whether a new key needs a label'))
    .option(
      '--networks <list>',
      'from where keys are accepted, with commas between, or none for anywhere',
      orNone(parseList),
    )
    .addOption(onOff('--keys-manage-keys <state>', 'whether keys may generate, rename, rotate and revoke keys'))
    .addOption(onOff('--refuse-browsers <state>', 'whether calls from a browser are refused'))
    .option(
      '--apply-to-existing <rules>',
      `hold keys to these although they break them: ${API_KEY_RULES.join(', ')}`,
      parseRules,
    )
    .option('--yes', 'do not ask before keys are revoked')
    .action(answering(terminal, (slug: string, options: Options) => policy(terminal, slug, options)))
}

function policy(terminal: Terminal, slug: string, options: Options) {
  return withPortal(terminal, async (portal) => {
    const { ctx, organization } = await enter(portal, slug)
    const { applyToExisting = [], yes = false, json = false } = options
    const input = inputOf(options)
    if (!yes && applyToExisting.includes('MAX_KEYS')) await confirmRevokes(terminal, ctx, input, json)
    const isChange = applyToExisting.length > 0 || Object.values(input).some((given) => given !== undefined)
    const inForce = isChange ? await setApiKeyPolicy(ctx, input, applyToExisting) : await apiKeyPolicy(ctx)
    const breaches = await apiKeyPolicyBreaches(ctx, {})
    return {
      document: { slug, name: organization.name, policy: inForce, breaches: breaches.map(documentOf) },
      text: [`What ${organization.name} asks of its keys:`, '', facts(inWords(inForce)), ...breaches.map(wordsOf)].join(
        '\n',
      ),
    }
  })
}

const inputOf = (options: Options): ApiKeyPolicyInput => ({
  maxKeys: orDefault(options.maxKeys),
  longestLifeDays: orDefault(options.longestLife),
  endRequired: isOn(options.endRequired),
  labelRequired: isOn(options.labelRequired),
  allowedNetworks: orDefault(options.networks),
  keysManageKeys: isOn(options.keysManageKeys),
  refuseBrowsers: isOn(options.refuseBrowsers),
})

async function confirmRevokes(terminal: Terminal, ctx: Ctx, input: ApiKeyPolicyInput, json: boolean): Promise<void> {
  const breach = (await apiKeyPolicyBreaches(ctx, input)).find(({ rule }) => rule === 'MAX_KEYS')
  if (!breach) return
  const question = `Revoke these keys?\n\n${keysOf(breach)}\n\n${breach.consequence} Answer yes to go on: `
  if (!(await confirm(terminal, question, { json })))
    throw new NotConfirmed('Nothing was changed: answer yes, or give --yes.')
}

const inWords = (policy: ApiKeyPolicy) => ({
  'keys at most': String(policy.maxKeys ?? 100),
  'longest life': policy.longestLifeDays === null ? 'any' : `${policy.longestLifeDays}d`,
  'end required': yesNo(policy.endRequired),
  'label required': yesNo(policy.labelRequired),
  'allowed networks': policy.allowedNetworks.join(', ') || 'any',
  'keys may manage keys': yesNo(policy.keysManageKeys),
  'browsers are refused': yesNo(policy.refuseBrowsers),
})

const documentOf = ({ rule, apiKeys, consequence }: ApiKeyPolicyBreach) => ({
  rule,
  consequence,
  keys: apiKeys.map(({ id, label, start }) => ({ id, label, prefix: start })),
})

const wordsOf = (breach: ApiKeyPolicyBreach) =>
  `\nThese keys break ${breach.rule} and go on as they were. With --apply-to-existing ${breach.rule}: ${breach.consequence}\n\n${keysOf(breach)}`

const keysOf = ({ apiKeys }: ApiKeyPolicyBreach) =>
  table(
    ['id', 'label', 'begins with'],
    apiKeys.map(({ id, label, start }) => [id, label, start]),
  )

const yesNo = (value: boolean) => (value ? 'yes' : 'no')

const isOn = (state: Switch | undefined) => (state === undefined ? undefined : state === 'on')

const onOff = (flags: string, says: string) => new Option(flags, says).choices(['on', 'off'])

const orNone =
  <Value>(parse: (text: string) => Value) =>
  (text: string) =>
    text === NONE ? NONE : parse(text)

const orDefault = <Value>(given: Value | typeof NONE | undefined) => (given === NONE ? null : given)

function parseNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a number, or none.')
  return Number(text)
}

const parseList = (text: string) => text.split(',')

function parseRules(text: string): ApiKeyRule[] {
  return parseList(text).map((name) => {
    const rule = API_KEY_RULES.find((known) => known === name.trim().toUpperCase().replaceAll('-', '_'))
    if (!rule) throw new InvalidArgumentError(`Give one or more of ${API_KEY_RULES.join(', ')}.`)
    return rule
  })
}
