import type { DecisionWord } from '../approvals';

/** What page and terminal say once a decision was taken. */
export const TAKEN_TEXT: Readonly<Record<DecisionWord, string>> = {
  approve: 'Approved. The call may run now.',
  reject: 'Rejected. Nothing will run.',
  applied: 'Noted: it was applied. The agent is told so.',
  run_again: 'It runs again, once.',
  abandon: 'Abandoned. It does not run again.',
};
