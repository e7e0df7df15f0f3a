import { z } from 'zod';

/** Text of a message. Its size in bytes is checked apart, since too much of it has an answer of its own. */
export const messageContent = z.string().refine((text) => text.trim() !== '', 'must not be blank');
