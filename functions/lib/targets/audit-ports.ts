import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const ports = new Set<number>();

/** Returns the loopback ports of this process's audits: their proxies, and the debugging ports of their browsers. */
export const auditPorts = (): number[] => [...ports];

/** Closes a port to all pages until the returned function is called. */
export const closeToPages = (port: number): (() => void) => {
  ports.add(port);
  return () => void ports.delete(port);
};

/** Finds a free port for the debugging of a browser. It is closed to pages before the browser listens on it. */
export const reservePort = async (): Promise<{ port: number; release: () => void }> => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const release = closeToPages(port);
  await new Promise((closed) => server.close(closed));
  return { port, release };
};
