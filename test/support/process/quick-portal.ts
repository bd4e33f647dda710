import { serve } from '../../../server/main.ts'

// A portal whose background jobs are done many times a second.
await serve({ demo: false }, { jobsEveryMs: 50 })
