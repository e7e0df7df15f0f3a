import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail server that keeps what it gets and sends nothing on. */
export interface MailSink {
  /** Like `smtp://127.0.0.1:2525`. */
  readonly url: string;
  /** Every mail as it came, headers and text, the oldest first. */
  readonly mails: readonly string[];
  close(): Promise<void>;
}

/** @param port On 127.0.0.1; 0 = any free one. */
export async function startMailSink(port: number): Promise<MailSink> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      text(stream).then((mail) => {
        mails.push(mail);
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `smtp://127.0.0.1:${listening}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
