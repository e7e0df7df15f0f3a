import { Command } from 'commander';
import type { EntryView } from '../../core/http-answers';
import { type CommandContext, type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { entryLines } from '../text/entry-lines';
import { sessionLines } from '../text/session-lines';

interface ShowOptions extends GatewayOptions {
  readonly log?: true;
}

/** Before what follows of a wrapped entry. */
const INDENT = '      ';

/** `holdpoint sessions show`: where a session stands, and its log. */
export function sessionsShowCommand(): Command {
  return withGatewayOptions(new Command('show'))
    .description('show where a session stands')
    .argument('<session>', 'id of the session')
    .option('--log', 'its log too')
    .action((sessionId: string, options: ShowOptions) =>
      onGateway(options, async (context) => {
        const { client, output, isJson, signal } = context;
        const session = await client.readSession(sessionId, { signal });
        const entries = options.log ? await wholeLog(context, sessionId) : undefined;
        if (isJson) {
          output.json(entries === undefined ? session : { ...session, entries });
          return undefined;
        }
        for (const line of sessionLines(session, output.style)) {
          output.print(line);
        }
        for (const line of (entries ?? []).flatMap((entry) => entryLines(entry, output.style))) {
          output.print(line, INDENT);
        }
        return undefined;
      }),
    );
}

async function wholeLog({ client, signal }: CommandContext, sessionId: string): Promise<readonly EntryView[]> {
  const entries: EntryView[] = [];
  for (let after = 0; ; ) {
    const page = await client.listEntries(sessionId, { after }, { signal });
    entries.push(...page.entries);
    if (page.nextAfter === null || page.entries.length === 0) {
      return entries;
    }
    after = page.nextAfter;
  }
}
