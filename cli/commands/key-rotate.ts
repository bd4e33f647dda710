import type { Command } from 'commander'
import { SECOND } from '../../server/lib/clock.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import type { ConnectOptions } from '../api/connect.ts'
import { addCommand, answering } from '../command.ts'
import { orOutcomeUnknown } from '../errors.ts'
import { heldField, heldLines } from '../held-notice.ts'
import { addKeySourceOptions, withKeySourceOf } from '../key-source/with-keys.ts'
import { NOT_DURABLE } from '../revoking.ts'
import { detailLines } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { parseLength, parseTime, readableTime } from '../time.ts'

interface Options extends ConnectOptions {
  overlap?: number
  expires?: number
}

export function addKeyRotate(key: Command, terminal: Terminal): void {
  const command = addCommand(key, {
    name: 'rotate',
    message: 'Replace an API key by a new one. The old one expires after the overlap. The new secret is shown once.',
    example: 'key rotate 01kp3v9x2m8q4w7r5t1y6n0b3c --overlap 1d',
  }).argument('<id>', 'the key: key list shows its id')
  addKeySourceOptions(command, 'only if the key belongs to this organization')
    .option(
      '--overlap <length>',
      'how long the old key is still accepted: up to 7d; 0 is at once (default: 1d)',
      parseLength,
    )
    .option('--expires <date>', 'expiration of the new key (default: the lifetime of the old one, from now)', parseTime)
    .action(answering(terminal, (id: string, options: Options) => rotate(terminal, id, options)))
}

function rotate(terminal: Terminal, id: string, { overlap, expires, ...options }: Options) {
  return withKeySourceOf(terminal, id, options, async (keys) => {
    const { organization } = keys
    const overlapSeconds = overlap === undefined ? undefined : overlap / SECOND
    const held = await keys.heldSince() // before the secret exists, which must not be lost
    const rotating = keys.rotate(id, { overlapSeconds, expiresAt: expires })
    const { apiKey, secret, durable } = await orOutcomeUnknown(
      rotating,
      `${PORTAL} key list --org ${organization.slug} shows it.`,
    )
    const old = await keys.find(id).catch(() => undefined) // the secret has to be shown, even if this fails
    const oldEndsAt = overlap === 0 ? apiKey.createdAt : (old?.expiresAt ?? null)
    return {
      document: {
        id: apiKey.id,
        label: apiKey.label,
        secret,
        replaces: id,
        oldKeyExpiresAt: oldEndsAt,
        durable,
        ...heldField(held),
      },
      text: [
        `Replaced the key ${id} of ${organization.name} by a new one.`,
        '',
        detailLines({ id: apiKey.id, label: apiKey.label, secret, expires: readableTime(apiKey.expiresAt) }),
        '',
        ...heldLines(held),
        oldEndsAt === null || overlap === 0
          ? 'The old key is revoked.'
          : `The old key is accepted until ${readableTime(oldEndsAt)}. Is it still used? ${PORTAL} key show ${id}`,
        ...(durable ? [] : [NOT_DURABLE]),
        'The secret is shown only now. Keep it like a password: in a secrets manager, never in source control.',
      ].join('\n'),
    }
  })
}
