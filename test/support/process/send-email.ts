import { readSmtpAddress } from '../../../server/config/smtp-address.ts'
import { createMailer } from '../../../server/mail/smtp.ts'

// A process of its own, since which certificates are trusted is decided when one starts: sends two emails to the address given.
const smtp = readSmtpAddress(process.argv[2] ?? '', 'localhost')
if (typeof smtp === 'string') throw new Error(smtp)
const mailer = createMailer(smtp)
try {
  for (const id of [1, 2])
    await mailer.send({ to: 'ada@example.com', subject: 'Hello', text: 'Hello', messageId: `<${id}@example.com>` })
  process.stdout.write('sent')
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : 'not sent')
} finally {
  mailer.close()
}
