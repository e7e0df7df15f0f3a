import { hideSensitive } from '../../../src/activities/hide-sensitive';

test('only what a path names is hidden, with its length', () => {
  const args = { card: { number: '4111', holder: 'Ann' }, note: 'x' };

  expect(hideSensitive(args, ['card.number'])).toEqual({
    card: { number: 'hidden (4 characters)', holder: 'Ann' },
    note: 'x',
  });
  expect(args.card.number).toBe('4111');
});

test('arrays on the way need no step, and values that are no text are hidden, too', () => {
  const args = { cards: [{ pin: 1234 }, { pin: [1, 2] }, 'odd'] };

  expect(hideSensitive(args, ['cards.pin', 'missing.path'])).toEqual({
    cards: [{ pin: 'hidden (4 characters)' }, { pin: 'hidden (5 characters)' }, 'odd'],
  });
});
