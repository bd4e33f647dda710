import '../../../server/webhooks/killed-webhook-workers.postgres.all.test.ts' // here it runs on SQLite
