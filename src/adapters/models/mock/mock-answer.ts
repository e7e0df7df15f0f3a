import type { BlockOf } from '../../../core/messages';
import { mockExamples } from './mock-patterns';
import type { TurnSoFar } from './turn-so-far';

const MAX_RESULTS = 12;
const MAX_EXCERPT_CHARACTERS = 160;

/**
 * The text a turn ends with. It repeats what the results say and claims nothing of its own: a call whose result is an
 * error did not succeed, whatever became of it.
 */
export function mockAnswer({ instruction, results }: TurnSoFar, hasTools: boolean): string {
  if (results.length > 0) {
    const shown = results.slice(-MAX_RESULTS);
    const earlier = results.length - shown.length;
    const head = earlier > 0 ? [`${earlier} earlier results are left out.`] : [];
    return ['This is what came of it:', ...head, ...shown.map(resultLine)].join('\n');
  }
  if (!hasTools) {
    return `No tools are offered to me, so nothing was done about: ${excerpt(instruction)}`;
  }
  return `I am a mock model and only repeat what you said: ${excerpt(instruction)}\nTry ${mockExamples()}.`;
}

function resultLine({ name, text, isError }: BlockOf<'tool-result'>): string {
  return `- ${name} ${isError ? 'did not succeed' : 'succeeded'}: ${excerpt(text)}`;
}

/** The start of a text on one line. */
function excerpt(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim());
  return characters.length > MAX_EXCERPT_CHARACTERS
    ? `${characters.slice(0, MAX_EXCERPT_CHARACTERS).join('')}…`
    : characters.join('');
}
