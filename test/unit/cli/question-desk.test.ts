import { PassThrough } from 'node:stream';
import { ChatKeyboard } from '../../../src/cli/chat/chat-keyboard';
import { ChatScreen } from '../../../src/cli/chat/chat-screen';
import { QuestionDesk } from '../../../src/cli/chat/question-desk';
import type { CommandContext } from '../../../src/cli/on-gateway';
import type { Output } from '../../../src/cli/output';
import type { Decide } from '../../../src/client/holdpoint-client';
import type { ApprovalDetail } from '../../../src/core/http-answers';

const approval = {
  approvalId: 'ap_1',
  kind: 'call',
  sessionId: 's',
  turn: 1,
  round: 1,
  callId: 't1-r1-c1',
  tool: 'write_file',
  summary: 'Write a file',
  arguments: {},
  argumentsDigest: 'the digest',
  risk: 'medium',
  reason: 'writes_are_reviewed',
  requestedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
  status: 'pending',
  decisions: [],
} as unknown as ApprovalDetail;

/** A desk with a keyboard on streams; `onShown` is called as the question comes on the screen. */
function desk(onShown: (type: (keys: string) => void) => void) {
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined, isTTY: true });
  const printed: string[] = [];
  const decisions: Decide[] = [];
  const type = (keys: string) => {
    input.write(keys);
  };
  const output: Output = {
    isTerminal: true,
    columns: () => 80,
    rows: () => 24,
    style: (_tone, text) => text,
    print: (line) => {
      printed.push(line);
      if (line.startsWith('digest')) {
        onShown(type);
      }
    },
    json: () => undefined,
    note: () => undefined,
    write: () => undefined,
  };
  const client = {
    readApproval: async () => approval,
    decide: async (_id: string, decision: Decide) => {
      decisions.push(decision);
      return { outcome: 'taken', decisionId: 'd_1', approval };
    },
  };
  const { signal } = new AbortController();
  const echo = new PassThrough();
  const keyboard = new ChatKeyboard(
    input as unknown as NodeJS.ReadStream,
    echo as unknown as NodeJS.WriteStream,
    () => undefined,
  );
  keyboard.open();
  const questions = new QuestionDesk({
    context: { client, output, isJson: false, signal } as unknown as CommandContext,
    screen: new ChatScreen(output),
    keyboard,
    signal,
    onInterrupt: () => undefined,
    onEnd: () => undefined,
    onFailure: (error) => printed.push(String(error)),
  });
  return { questions, type, echo, decisions, printed };
}

/** Resolves when the person is asked. */
async function asked(echo: PassThrough): Promise<void> {
  let text = '';
  for await (const bytes of echo) {
    text += String(bytes);
    if (text.includes('for later: ')) {
      return;
    }
  }
}

it('takes no key for an answer that was pressed before the question has stood there for a moment', async () => {
  let whenPressed: () => void = () => undefined;
  const pressed = new Promise<void>((resolve) => {
    whenPressed = resolve;
  });
  const { questions, type, echo, decisions, printed } = desk((press) => {
    press('a\r');
    setTimeout(() => {
      press('a\r');
      setImmediate(whenPressed);
    }, 50);
  });
  questions.add('ap_1');
  await Promise.all([pressed, asked(echo)]);
  expect(decisions).toEqual([]);
  type('l\r');
  await questions.idle();
  expect(decisions).toEqual([]);
  expect(printed.at(-1)).toMatch(/^It stays open/);
});

it('sends the digest of what it showed', async () => {
  const { questions, type, echo, decisions } = desk(() => undefined);
  questions.add('ap_1');
  await asked(echo);
  type('a\r');
  await questions.idle();
  expect(decisions).toEqual([{ decision: 'approve', argumentsDigest: 'the digest' }]);
});
