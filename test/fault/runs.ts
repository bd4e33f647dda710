import type { Run } from './report.ts'
import { changes } from './runs/changes.ts'
import { clocks } from './runs/clocks.ts'
import { copies } from './runs/copies.ts'
import { counts } from './runs/counts.ts'
import { errors } from './runs/errors.ts'
import { failover } from './runs/failover.ts'
import { kills } from './runs/kills.ts'
import { planted } from './runs/planted.ts'
import { plantedCopies } from './runs/planted-copies.ts'
import { replicas } from './runs/replicas.ts'
import { restores } from './runs/restores.ts'
import { workers } from './runs/workers.ts'
import { writes } from './runs/writes.ts'

/** Every run, and what it shows. */
export const RUNS = {
  replicas: { shows: 'no replica accepts a key once its revoke has answered, whatever happens to it', run: replicas },
  planted: { shows: 'the checker finds every fault that is planted, and none where there is none', run: planted },
  writes: { shows: 'nothing that a key writes is committed after its revoke', run: writes },
  changes: {
    shows: 'a pause, a narrowing or other networks hold for every call that starts after the answer',
    run: changes,
  },
  workers: {
    shows:
      'workers that are killed or hang are replaced: no revoked key is accepted, no other call fails, limits and counts hold',
    run: workers,
  },
  kills: { shows: 'kill -9 loses no answered write, and brings no revoked key back', run: kills },
  failover: { shows: 'a standby that takes over has every answered revoke, or the ledger has', run: failover },
  restores: { shows: 'whatever brings the past back, no key does whose revoke has answered', run: restores },
  errors: { shows: 'when the database fails, the answer is 503 and never yes', run: errors },
  copies: { shows: 'no SQLite file that is copied back brings back a key whose revoke has answered', run: copies },
  'planted-copies': { shows: 'and it finds every fault that is planted in the ledger', run: plantedCopies },
  clocks: { shows: 'replicas with clocks an hour apart agree on an end date', run: clocks },
  counts: { shows: 'every call is counted once, through restarts and kills, up to the flush window', run: counts },
} satisfies Record<string, { shows: string; run: Run }>
