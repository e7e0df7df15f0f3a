/** Name of a model call among the steps of its session, for example `t1.r2`. A tool call is named by its call id. */
export function modelStep(turn: number, round: number): string {
  return `t${turn}.r${round}`;
}
