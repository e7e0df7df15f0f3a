import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * Listens on a TCP port of 127.0.0.1 for a moment, 0 = one that the system chooses, and returns the port. Throws what
 * the system says, with `code` EADDRINUSE when another process listens there.
 */
export async function tryPort(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port }, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') {
          resolve(address.port);
        } else {
          reject(new Error(`no port after listening on ${LOOPBACK}`));
        }
      });
    });
  });
}
