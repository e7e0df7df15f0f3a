import { z } from 'zod';
import { MESSAGE_MODES } from '../sessions';
import { messageContent } from './message-content';

/** Body of `POST /v1/sessions/:id/messages`. */
export const sendMessageRequest = z.strictObject({
  content: messageContent,
  mode: z.enum(MESSAGE_MODES).default('followup'),
});
