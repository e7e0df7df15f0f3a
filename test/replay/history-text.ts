/**
 * A recorded history as one text in which everything can be found: its events as JSON, and behind them every payload
 * decoded.
 */
export function historyText(json: string): string {
  const decoded: string[] = [];
  JSON.parse(json, (key, value: unknown) => {
    if (key === 'data' && typeof value === 'string') {
      decoded.push(Buffer.from(value, 'base64').toString('utf8'));
    }
    return value;
  });
  return [json, ...decoded].join('\n');
}
