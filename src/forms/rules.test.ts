import { describe as suite, expect, test } from 'vitest';
import {
  describe,
  exact,
  integer,
  list,
  map,
  number,
  oneOf,
  optional,
  readValue,
  record,
  type Rule,
  text,
} from './rules.ts';

/** Returns what a rule reads, and the problems that it reports: at most `most`, then reading ends. */
function read<T>(rule: Rule<T>, value: unknown, most = Infinity): { result: T | undefined; problems: string[] } {
  const problems: string[] = [];
  const full = new Error('full');
  const refuse = (path: string, message: string) => {
    problems.push(`${path}: ${message}`);
    if (problems.length >= most) throw full;
  };
  try {
    return { result: readValue(rule, value, refuse), problems };
  } catch (thrown) {
    if (thrown !== full) throw thrown;
    return { result: undefined, problems };
  }
}

const person = exact({ name: text, age: optional(integer(0, 150)), pets: optional(list(oneOf('cat', 'dog'), 2)) });

suite('rules', () => {
  test('read what fits, and leave absent fields out', () => {
    expect(read(person, { name: 'Ada' })).toEqual({ result: { name: 'Ada' }, problems: [] });
    expect(Object.keys(read(person, { name: 'Ada' }).result!)).toEqual(['name']);
    expect(read(record({ name: text }), { name: 'Ada', age: 3 }).result).toEqual({ name: 'Ada' });
  });

  test('report every problem with a JSON pointer, what was expected and what there is', () => {
    const { result, problems } = read(map(person), {
      'a/b': { name: 3, pets: ['cat', 'cow'], wings: 2 },
      c: { age: 1.5 },
      d: [],
      e: { name: '', pets: ['cat', 'cat', 'cat'] },
    });
    expect(result).toBeUndefined();
    expect(problems).toEqual([
      '/a~1b/name: Expected a string, got 3.',
      '/a~1b/pets/1: Expected one of "cat", "dog", got "cow".',
      '/a~1b/wings: Unknown field "wings". Fields: name, age, pets.',
      '/c/age: Expected an integer from 0 to 150, got 1.5.',
      '/c/name: Expected a string, got nothing.',
      '/d: Expected an object, got an empty list.',
      '/e/pets: Expected a list of at most 2, got a list of 3.',
    ]);
  });

  test('end when the receiver of problems throws', () => {
    expect(read(list(number()), Array(1e6).fill('x'), 5).problems).toHaveLength(5);
    expect(read(map(number()), Object.fromEntries(Array(1000).entries()), 5).problems).toHaveLength(5);
    expect(read(person, Object.fromEntries(Array(1000).entries()), 5).problems).toHaveLength(5);
  });

  test('quote at most 80 characters of a value and of a name', () => {
    const long = 'x'.repeat(1e6);
    for (const value of [long, { [long]: 1 }, [long], Object.fromEntries(Array(50).entries())]) {
      expect(describe(value).length).toBeLessThan(110);
    }
    const [problem] = read(map(number()), { [long]: long }).problems;
    expect(problem!.length).toBeLessThan(250);
    expect(problem).toMatch(/^\/x{80}…: Expected a number from −3\.4e38 to 3\.4e38, got "x{80}…"\.$/);
  });

  test('take no names from prototypes', () => {
    expect(read(exact({ size: number() }), JSON.parse('{"__proto__":{"size":1}}')).result).toBeUndefined();
    expect(read(record({ toString: optional(text) }), {}).result).toEqual({ toString: undefined });
  });
});
