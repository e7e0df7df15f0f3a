import { startActiveWatch } from '../../../src/activities/active-watch';

const log = { waitedMs: () => 0 };

let asleepMs = 0;

beforeEach(() => {
  asleepMs = 0;
  jest.useFakeTimers();
  const awakeNowMs = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => awakeNowMs() + asleepMs);
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

test('time that passes while the process is awake is counted', () => {
  const watch = startActiveWatch(log);
  jest.advanceTimersByTime(7_300);
  expect(watch.elapsedMs()).toBe(7_300);
  watch.stop();
});

test('a night of sleep counts as a moment, and what was due after it comes when its time was spent awake', () => {
  const watch = startActiveWatch(log);
  const over = jest.fn();
  watch.after(6_000, over);
  jest.advanceTimersByTime(2_000);
  asleepMs = 8 * 3_600_000;
  jest.advanceTimersByTime(1_000);
  expect(over).not.toHaveBeenCalled();
  expect(watch.elapsedMs()).toBeLessThanOrEqual(4_500);
  jest.advanceTimersByTime(3_000);
  expect(over).toHaveBeenCalledTimes(1);
  watch.stop();
});

test('what was taken back, and what waits when the watch is stopped, is not called', () => {
  const watch = startActiveWatch(log);
  const over = jest.fn();
  const takeBack = watch.after(1_000, over);
  watch.after(2_000, over);
  takeBack();
  jest.advanceTimersByTime(1_500);
  watch.stop();
  jest.advanceTimersByTime(5_000);
  expect(over).not.toHaveBeenCalled();
  expect(jest.getTimerCount()).toBe(0);
});

test('waiting for the store is no active time', () => {
  let waitedMs = 500;
  const watch = startActiveWatch({ waitedMs: () => waitedMs });
  jest.advanceTimersByTime(70_000);
  waitedMs += 65_000;
  expect(watch.elapsedMs()).toBe(5_000);
  watch.stop();
});
