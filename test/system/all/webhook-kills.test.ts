import '../../../server/webhooks/kills.postgres.test.ts' // the same on SQLite
