import { Command } from 'commander';
import { approvalsAnswerCommand } from './approvals-answer';
import { approvalsApproveCommand } from './approvals-approve';
import { approvalsListCommand } from './approvals-list';
import { approvalsRejectCommand } from './approvals-reject';
import { approvalsShowCommand } from './approvals-show';
import { approvalsWatchCommand } from './approvals-watch';

/** `holdpoint approvals …` */
export function approvalsCommand(): Command {
  return new Command('approvals')
    .addCommand(approvalsListCommand())
    .addCommand(approvalsShowCommand())
    .addCommand(approvalsApproveCommand())
    .addCommand(approvalsRejectCommand())
    .addCommand(approvalsAnswerCommand())
    .addCommand(approvalsWatchCommand());
}
