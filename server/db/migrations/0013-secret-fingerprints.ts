import type { ColumnTypes } from '../database.ts'

export const name = 'fingerprints of the secret that each process uses'

export const up = ({ text, integer, tableOptions }: ColumnTypes) =>
  `create table "secretFingerprint" ("fingerprint" ${text} primary key, "seenAt" ${integer} not null) ${tableOptions}`
