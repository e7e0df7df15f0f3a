import { Command } from 'commander';
import { momentText } from '../../core/display/time-text';
import type { SessionExplanation, Wait } from '../../core/session-explanation';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';

/** `holdpoint sessions explain`: what a session waits for, and what would make it go on. */
export function sessionsExplainCommand(): Command {
  return withGatewayOptions(new Command('explain'))
    .description('say what a session waits for, and what would make it go on')
    .argument('<session>', 'id of the session')
    .action((sessionId: string, options: GatewayOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        const explanation = await client.explainSession(sessionId, { signal });
        if (isJson) {
          output.json(explanation);
          return undefined;
        }
        for (const line of explanationLines(explanation)) {
          output.print(line, '    ');
        }
        return undefined;
      }),
    );
}

function explanationLines({ summary, waitsFor, lastEntries, temporal }: SessionExplanation): readonly string[] {
  const last = lastEntries.at(-1);
  return [
    foreignLine(summary),
    ...waitsFor.flatMap(waitLines),
    temporal === null
      ? 'Temporal: does not answer'
      : `Temporal: ${foreignLine(temporal.status)}, workers: ${temporal.pollers.map(foreignLine).join(', ') || 'none'}`,
    ...(last === undefined ? [] : [`last entry: ${last.seq} ${last.type} ${momentText(last.at, Date.now())}`]),
  ];
}

function waitLines({ kind, text, advice, since, until, approvalId, question }: Wait): readonly string[] {
  const nowMs = Date.now();
  const times = [
    ...(since === null ? [] : [`since ${momentText(since, nowMs)}`]),
    ...(until === undefined ? [] : [`until ${momentText(until, nowMs)}`]),
  ];
  return [
    `- ${kind}: ${foreignLine(text)}${times.length === 0 ? '' : ` (${times.join(', ')})`}`,
    ...(question === undefined ? [] : [`  | ${foreignLine(question)}`]),
    ...(approvalId === undefined ? [] : [`  holdpoint approvals show ${foreignLine(approvalId)}`]),
    `  ${foreignLine(advice)}`,
  ];
}
