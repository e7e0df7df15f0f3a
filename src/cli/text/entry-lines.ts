import { clockText } from '../../core/display/time-text';
import type { EntryView } from '../../core/http-answers';
import { isRecord } from '../../core/json';
import { foreignLine, foreignLines } from './foreign-text';
import type { Style } from './style';

const EDGE = '    | ';

/** What the head of an entry says, and the text below it. Members of `data` by name; both are foreign. */
interface Description {
  readonly facts: readonly string[];
  readonly text?: string;
}

type Describe = (data: EntryView['data']) => Description;

const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  'session.started': (data) => ({ facts: ['agent', textOf(data['agent'])] }),
  'user.message': (data) => ({
    facts: [data['mode'] === 'followup' ? '' : textOf(data['mode']), data['discarded'] === true ? 'discarded' : ''],
    text: textOf(data['content']),
  }),
  'request.header': (data) => ({ facts: [textOf(data['model'])] }),
  'model.reply': (data) => ({ facts: [textOf(data['finish'])], text: blocksText(data['blocks']) }),
  'model.partial': (data) => ({ facts: ['cut off'], text: blocksText(data['blocks']) }),
  'model.retry': (data) => ({ facts: ['attempt', textOf(data['attempt']), textOf(data['code'])] }),
  'policy.decided': (data) => ({ facts: [data['tool'], data['verdict'], data['reason']].map(textOf) }),
  'approval.requested': (data) => ({
    facts: [textOf(data['approvalId']), textOf(data['tool']), `${textOf(data['risk'])} risk`],
    text: textOf(data['summary']),
  }),
  'approval.decided': describeDecision,
  'approval.refused': describeDecision,
  'tool.started': (data) => ({ facts: [textOf(data['tool']), 'try', textOf(data['try'])] }),
  'tool.not_run': (data) => ({ facts: ['try', textOf(data['try']), textOf(data['code'])] }),
  'tool.result': describeResult,
  'tool.late_result': describeResult,
  'context.injected': (data) => ({ facts: [textOf(data['source'])], text: textOf(data['content']) }),
  'turn.ended': (data) => ({
    facts: [textOf(data['outcome']), textOf(data['code']), `rounds ${textOf(data['rounds'])}`],
  }),
  'session.closed': (data) => ({ facts: [textOf(data['reason'])] }),
};

/** Types whose head says all there is to a person. */
const WITHOUT_DATA: ReadonlySet<string> = new Set(['turn.started']);

/** An entry of a session's log as lines that a terminal may be given. Types of a newer gateway are shown as JSON. */
export function entryLines(entry: EntryView, style: Style): readonly string[] {
  const { seq, type, turn, round, callId, data, at } = entry;
  const { facts, text = '' } = DESCRIPTIONS[type]?.(data) ?? {
    facts: [],
    text: WITHOUT_DATA.has(type) ? '' : JSON.stringify(data),
  };
  const place = callId ?? (turn === null ? '' : round === null ? `turn ${turn}` : `turn ${turn} round ${round}`);
  const words = [place, ...facts].filter((fact) => fact !== '').map(foreignLine);
  const head = `${String(seq).padStart(4)}  ${style('quiet', clockText(Date.parse(at)))}  ${style('name', foreignLine(type))}`;
  return [[head, ...words].join('  '), ...(text === '' ? [] : foreignLines(text).map((line) => EDGE + line))];
}

/** The text of a reply's blocks, with each call it asks for on a line of its own. */
function blocksText(blocks: unknown): string {
  return (Array.isArray(blocks) ? blocks : [])
    .filter(isRecord)
    .flatMap((block) => {
      switch (block['type']) {
        case 'text':
          return textOf(block['text']);
        case 'tool-call':
          return `calls ${textOf(block['name'])} ${textOf(block['argumentsText'])}`;
        default:
          return [];
      }
    })
    .join('\n');
}

function describeDecision(data: EntryView['data']): Description {
  return {
    facts: [data['decision'], data['outcome'], 'by', data['principal']].map(textOf),
    text: textOf(data['comment']),
  };
}

function describeResult(data: EntryView['data']): Description {
  return { facts: [data['tool'], data['status'], data['code']].map(textOf), text: textOf(data['text']) };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
