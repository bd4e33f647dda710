import { readSmtpAddress } from '../../server/lib/smtp-address.ts'
import { sendBySmtp } from '../../server/mail/smtp.ts'

// A process of its own, since which certificates are trusted is decided when one starts: sends an email to the address given.
const smtp = readSmtpAddress(process.argv[2] ?? '', 'localhost')
if (typeof smtp === 'string') throw new Error(smtp)
try {
  await sendBySmtp(smtp, { to: 'ada@example.com', subject: 'Hello', text: 'Hello', messageId: '<1@example.com>' })
  process.stdout.write('sent')
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : 'not sent')
}
