import type { FastifyInstance } from 'fastify';
import { PAGE_SAFETY_HEADERS } from '../browser-safety';
import type { Page } from '../read-page';

/** `GET /` and what the page is made of; nothing when there is no page. */
export function addPageRoutes(server: FastifyInstance, page: Page | undefined): void {
  for (const { path, type, content } of page ?? []) {
    server.get(path, (_request, reply) => reply.headers(PAGE_SAFETY_HEADERS).type(type).send(content));
  }
}
