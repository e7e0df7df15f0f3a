import { Command } from 'commander';
import { sessionsCancelCommand } from './sessions-cancel';
import { sessionsCloseCommand } from './sessions-close';
import { sessionsExplainCommand } from './sessions-explain';
import { sessionsListCommand } from './sessions-list';
import { sessionsRepairCommand } from './sessions-repair';
import { sessionsSendCommand } from './sessions-send';
import { sessionsShowCommand } from './sessions-show';
import { sessionsStartCommand } from './sessions-start';
import { sessionsWatchCommand } from './sessions-watch';

/** `holdpoint sessions …` */
export function sessionsCommand(): Command {
  return new Command('sessions')
    .addCommand(sessionsStartCommand())
    .addCommand(sessionsSendCommand())
    .addCommand(sessionsShowCommand())
    .addCommand(sessionsWatchCommand())
    .addCommand(sessionsListCommand())
    .addCommand(sessionsCancelCommand())
    .addCommand(sessionsCloseCommand())
    .addCommand(sessionsExplainCommand())
    .addCommand(sessionsRepairCommand());
}
