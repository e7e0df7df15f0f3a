import type { Answer } from './gateway-under-test';

/** Checks a refusal: its status and code, the form every refusal has, and that it tells nothing of the inside. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json?.['code'] }).toEqual({ status, code });
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.json).toEqual({
    type: `urn:holdpoint:problem:${code}`,
    title: expect.any(String),
    status,
    code,
    detail: expect.any(String),
  });
  expect(answer.text).not.toMatch(/node_modules|\.ts:|at \w+ \(|FST_|Error:/);
}
