/**
 * A test for names by a pattern in which `*` stands for any characters, or none; everything else for itself. Takes time
 * in proportion to the lengths, however many `*` there are.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) {
    return (name) => name === pattern;
  }
  return (name) => {
    const inner = name.slice(start.length, name.length - end.length);
    const isLongEnough = name.length >= start.length + end.length;
    return isLongEnough && name.startsWith(start) && name.endsWith(end) && holdsInOrder(inner, rest);
  };
}

/** True when the parts follow one another in the text. The first place of each is the best one for those behind it. */
function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const index = text.indexOf(part, from);
    if (index === -1) {
      return false;
    }
    from = index + part.length;
  }
  return true;
}
