import { createRunningSteps, type RunningSteps } from '../../../src/gateway/running-steps';

let steps: RunningSteps;

beforeEach(() => {
  steps = createRunningSteps();
});

const status = (text: string) => ({ turn: 1, round: 1, maxRounds: 5, tool: null, text });
const begin = (step: string, text = step) => steps.note({ step, status: status(text) });
const end = (step: string) => steps.note({ step, status: undefined });

it('has nothing to say while nothing has begun', () => {
  expect(steps.takeChange()).toBeUndefined();
  end('never begun');
  expect(steps.takeChange()).toBeUndefined();
});

it('says what began last and still runs, and null when everything is over', () => {
  begin('a');
  begin('b');
  expect(steps.takeChange()).toEqual(status('b'));
  end('b');
  expect(steps.takeChange()).toEqual(status('a'));
  end('a');
  expect(steps.takeChange()).toBeNull();
});

it('does not take a step that is said again for one that began later', () => {
  begin('a');
  begin('b');
  steps.takeChange();
  begin('a');
  expect(steps.takeChange()).toBeUndefined();
});

it('says each change once', () => {
  begin('a');
  expect(steps.takeChange()).toEqual(status('a'));
  expect(steps.takeChange()).toBeUndefined();
  begin('a', 'in other words');
  expect(steps.takeChange()).toEqual(status('in other words'));
});

it('says nothing of a step that came and went unseen', () => {
  begin('a');
  end('a');
  expect(steps.takeChange()).toBeUndefined();
});
