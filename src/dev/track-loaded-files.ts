import { register } from 'node:module';
import { dirname, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

/** The files of the project that this process has loaded. */
export interface LoadedFiles {
  /** Adds a file that Node itself does not know as a module. */
  add(path: string): void;
  /** Absolute paths, sorted. */
  list(): readonly string[];
}

/** Runs on Node's loader thread: names each ES module that Node loads. */
const HOOK = `
  let port;
  export function initialize(given) { port = given; }
  export async function load(url, context, next) { port.postMessage(url); return next(url, context); }
`;
const OWN_FOLDER = `${dirname(__dirname)}${sep}`;

/**
 * Begins to note which files of a project this process loads: those it is told, and what Node loads as CommonJS or ES
 * modules from now on. Installed packages and this package's own files are left out; what the project's code reads as
 * data is not seen.
 */
export function trackLoadedFiles(): LoadedFiles {
  const files = new Set<string>();
  const known = new Set(Object.keys(require.cache));
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  register(`data:text/javascript,${encodeURIComponent(HOOK)}`, {
    parentURL: pathToFileURL(__filename),
    data: port2,
    transferList: [port2],
  });
  const add = (path: string): void => {
    if (!path.includes(`${sep}node_modules${sep}`) && !path.startsWith(OWN_FOLDER)) {
      files.add(path);
    }
  };
  return {
    add,
    list: () => {
      for (let received = receiveMessageOnPort(port1); received !== undefined; received = receiveMessageOnPort(port1)) {
        const url = String(received.message);
        if (url.startsWith('file:')) {
          add(fileURLToPath(url));
        }
      }
      for (const path of Object.keys(require.cache)) {
        if (!known.has(path)) {
          add(path);
        }
      }
      return [...files].sort();
    },
  };
}
