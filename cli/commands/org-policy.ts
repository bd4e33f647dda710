import { type Command, InvalidArgumentError, Option } from 'commander'
import { setApiKeyPolicy } from '../../server/api-keys/policy/change.ts'
import { type ApiKeyPolicy, type ApiKeyPolicyInput, apiKeyPolicy } from '../../server/api-keys/policy/policy.ts'
import { API_KEY_RULES, type ApiKeyRule } from '../../server/api-keys/policy/rules.ts'
import { type ApiKeyPolicyViolation, apiKeyPolicyViolations } from '../../server/api-keys/policy/violations.ts'
import type { Ctx } from '../../server/caller/ctx.ts'
import { confirm } from '../ask.ts'
import { addCommand, answering } from '../command.ts'
import { NotConfirmed } from '../errors.ts'
import { organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { NOT_DURABLE } from '../revoking.ts'
import { detailLines, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { parseDays } from '../time.ts'

interface Options {
  maxKeys?: number | typeof NONE
  maxLifetime?: number | typeof NONE
  expiryRequired?: Switch
  labelRequired?: Switch
  networks?: string[] | typeof NONE
  allowKeyManagement?: Switch
  rejectBrowsers?: Switch
  applyToExisting?: ApiKeyRule[]
  yes?: boolean
  json?: boolean
}

type Switch = 'on' | 'off'

/** Resets a rule to its default. Commander treats null as a missing value. */
const NONE = 'none'

export function addOrgPolicy(org: Command, terminal: Terminal): void {
  addCommand(org, {
    name: 'policy',
    message:
      'Show or change the policy of an organization for its keys. Keys that violate a rule stay as they are, unless the rule is applied to them.',
    example: 'org policy acme-edge --max-lifetime 90d --networks 10.0.0.0/8,2001:db8::/32',
  })
    .argument('<slug>', 'the organization')
    .option('--max-keys <number>', 'maximum number of active keys, 1 to 100, or none', orNone(parseNumber))
    .option('--max-lifetime <length>', 'maximum lifetime of a new key, such as 90d, or none', orNone(parseDays))
    .addOption(onOff('--expiry-required <state>', 'whether a new key needs an expiration date'))
    .addOption(onOff('--label-required <state>', 'whether a new key needs a label'))
    .option(
      '--networks <list>',
      'networks that keys are accepted from, separated by commas, or none for any',
      orNone(parseList),
    )
    .addOption(onOff('--allow-key-management <state>', 'whether keys may generate, rename, rotate and revoke keys'))
    .addOption(onOff('--reject-browsers <state>', 'whether calls from a browser are refused'))
    .option(
      '--apply-to-existing <rules>',
      `rules to apply also to keys that violate them: ${API_KEY_RULES.join(', ')}`,
      parseRules,
    )
    .option('--yes', 'do not ask before keys are revoked')
    .action(answering(terminal, (slug: string, options: Options) => policy(terminal, slug, options)))
}

function policy(terminal: Terminal, slug: string, options: Options) {
  return withPortal(terminal, async (portal) => {
    const { ctx, organization } = await organizationBySlug(portal, slug)
    const { applyToExisting = [], yes = false, json = false } = options
    const input = inputOf(options)
    if (!yes && applyToExisting.includes('MAX_KEYS')) await confirmRevokes(terminal, ctx, input, json)
    const isChange = applyToExisting.length > 0 || Object.values(input).some((given) => given !== undefined)
    const changed = isChange ? await setApiKeyPolicy(ctx, input, applyToExisting) : undefined
    const inForce = changed?.policy ?? (await apiKeyPolicy(ctx))
    const durable = changed?.receipt.durable ?? true
    const violations = await apiKeyPolicyViolations(ctx, {})
    return {
      document: { slug, name: organization.name, policy: inForce, violations: violations.map(documentOf), durable },
      text: [
        `The policy of ${organization.name} for its keys:`,
        '',
        detailLines(inWords(inForce)),
        ...violations.map(wordsOf),
        ...(durable ? [] : ['', NOT_DURABLE]),
      ].join('\n'),
    }
  })
}

const inputOf = (options: Options): ApiKeyPolicyInput => ({
  maxKeys: orDefault(options.maxKeys),
  maxLifetimeDays: orDefault(options.maxLifetime),
  expiryRequired: isOn(options.expiryRequired),
  labelRequired: isOn(options.labelRequired),
  allowedNetworks: orDefault(options.networks),
  allowKeyManagement: isOn(options.allowKeyManagement),
  rejectBrowsers: isOn(options.rejectBrowsers),
})

async function confirmRevokes(terminal: Terminal, ctx: Ctx, input: ApiKeyPolicyInput, json: boolean): Promise<void> {
  const violation = (await apiKeyPolicyViolations(ctx, input)).find(({ rule }) => rule === 'MAX_KEYS')
  if (!violation) return
  const question = `Revoke these keys?\n\n${keysOf(violation)}\n\n${violation.consequence} Answer yes to continue: `
  if (!(await confirm(terminal, question, { json })))
    throw new NotConfirmed('Nothing was changed: answer yes, or give --yes.')
}

const inWords = (policy: ApiKeyPolicy) => ({
  'keys at most': String(policy.maxKeys ?? 100),
  'maximum lifetime': policy.maxLifetimeDays === null ? 'any' : `${policy.maxLifetimeDays}d`,
  'expiration required': yesNo(policy.expiryRequired),
  'label required': yesNo(policy.labelRequired),
  'allowed networks': policy.allowedNetworks.join(', ') || 'any',
  'key management': yesNo(policy.allowKeyManagement),
  'browsers are refused': yesNo(policy.rejectBrowsers),
})

const documentOf = ({ rule, apiKeys, consequence }: ApiKeyPolicyViolation) => ({
  rule,
  consequence,
  keys: apiKeys.map(({ id, label, prefix }) => ({ id, label, prefix })),
})

const wordsOf = (violation: ApiKeyPolicyViolation) =>
  `\nThese keys violate ${violation.rule} and keep working. With --apply-to-existing ${violation.rule}: ${violation.consequence}\n\n${keysOf(violation)}`

const keysOf = ({ apiKeys }: ApiKeyPolicyViolation) =>
  table(
    ['id', 'label', 'prefix'],
    apiKeys.map(({ id, label, prefix }) => [id, label, prefix]),
  )

const yesNo = (value: boolean) => (value ? 'yes' : 'no')

const isOn = (state: Switch | undefined) => (state === undefined ? undefined : state === 'on')

const onOff = (flags: string, message: string) => new Option(flags, message).choices(['on', 'off'])

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
