/** One server-sent event. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Puts server-sent events together from pieces of text that may end anywhere. Lines end with LF or CRLF. */
export class EventReader {
  private rest = '';
  private name = 'message';
  private data: string[] = [];

  /** The events that are whole after this piece. Comments and fields the page does not use are passed over. */
  read(piece: string): readonly ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = this.readLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (event !== undefined) {
        events.push(event);
      }
    }
    return events;
  }

  private readLine(line: string): ServerEvent | undefined {
    if (line === '') {
      const event = this.data.length === 0 ? undefined : { name: this.name, data: this.data.join('\n') };
      this.name = 'message';
      this.data = [];
      return event;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') {
      this.name = value;
    } else if (field === 'data') {
      this.data.push(value);
    }
    return undefined;
  }
}
