import { EventReader } from '../../../web/inbox/event-reader';

const TEXT =
  ': a comment\n\nevent: hello\ndata: {"a":1}\n\nid: 7\r\nevent: approval\r\ndata:one\r\ndata: two: 2\r\n\r\n\ndata: x\n\n';
const EVENTS = [
  { name: 'hello', data: '{"a":1}' },
  { name: 'approval', data: 'one\ntwo: 2' },
  { name: 'message', data: 'x' },
];

test('events are the same wherever the pieces end', () => {
  for (let size = 1; size <= TEXT.length; size += 1) {
    const reader = new EventReader();
    const events = [];
    for (let start = 0; start < TEXT.length; start += size) {
      events.push(...reader.read(TEXT.slice(start, start + size)));
    }
    expect(events).toEqual(EVENTS);
  }
});

test('an event that is not whole yet is none', () => {
  const reader = new EventReader();
  expect(reader.read('event: hello\ndata: 1\n')).toEqual([]);
  expect(reader.read('\n')).toEqual([{ name: 'hello', data: '1' }]);
});
