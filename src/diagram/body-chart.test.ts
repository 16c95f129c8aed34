import { describe, expect, test } from 'vitest';
import { all, outside, parseSvg, textOf, titleOf } from '../../test/support/svg.ts';
import { HUMAN_BONES } from '../character/humanoid.ts';
import { textWidth } from './text.ts';
import { bodyChart, type MappedHumanoid } from './body-chart.ts';

const EVIL = 'a<b>&"\u202e\u0007';

function humanoid(more: Partial<MappedHumanoid> = {}): MappedHumanoid {
  const bones = Object.fromEntries(
    HUMAN_BONES.map((bone, i) => [bone, { joint: `joint ${i}`, confidence: [1, 0.8, 0.6, 0.3][i % 4]! }]),
  );
  return { name: 'hero', convention: 'Mixamo', confidence: 0.9, bones, others: ['cape'], doubts: [], ...more };
}

/** The group of each bone. */
function dots(svg: string) {
  const found = all(parseSvg(svg)).filter(({ attributes }) => attributes['data-bone']);
  return new Map(found.map((each) => [each.attributes['data-bone']!, each]));
}

describe('the chart of a body', () => {
  test('has a dot for every bone, inside the picture, apart from all others', () => {
    const svg = bodyChart(humanoid());
    const found = dots(svg);
    expect([...found.keys()].toSorted()).toEqual([...HUMAN_BONES].toSorted());
    const places = Array.from(found.values(), ({ children }) => {
      const { cx, cy, r } = children.find(({ name }) => name === 'circle')!.attributes;
      return [Number(cx), Number(cy), Number(r)] as const;
    });
    const overlaps = places.flatMap(([x, y, r], i) =>
      places.slice(0, i).filter(([ox, oy, or]) => Math.hypot(x - ox, y - oy) < r + or - 0.5),
    );
    expect(overlaps).toEqual([]);
    // the left of a person is at the right of the picture
    const x = (bone: string) => Number(found.get(bone)!.children.at(-1)!.attributes.cx);
    for (const bone of HUMAN_BONES.filter((each) => each.startsWith('left')))
      expect(x(bone)).toBeGreaterThan(x(bone.replace('left', 'right')));
    expect(outside(parseSvg(svg), textWidth)).toEqual([]);
  });

  test('colours bones by how sure they are, and says their joints', () => {
    const found = dots(bodyChart(humanoid()));
    const colours = HUMAN_BONES.slice(0, 4).map((bone) => found.get(bone)!.children.at(-1)!.attributes.fill);
    expect(new Set(colours).size).toBe(4);
    expect(titleOf(found.get('spine')!)).toBe('spine: joint 1, 80 % sure');
  });

  test('lists what is missing, what is no bone, and doubts', () => {
    const { hips, ...bones } = humanoid().bones;
    const svg = bodyChart(humanoid({ bones, doubts: ['The left arm has no hand.'], others: ['cape', 'sword'] }));
    expect(titleOf(dots(svg).get('hips')!)).toBe('hips: not found');
    const said = textOf(parseSvg(svg));
    for (const words of ['Not found: hips', '2 joints that are not bones: cape, sword', 'The left arm has no hand.'])
      expect(said).toContain(words);
    expect(hips).toBeDefined();
  });

  test('says so where there is no humanoid, and escapes names of files', () => {
    const none = humanoid({ name: EVIL, bones: {}, confidence: 0, others: Array.from({ length: 5000 }, () => EVIL) });
    const svg = bodyChart(none, 300);
    expect(textOf(parseSvg(svg))).toContain('not a humanoid');
    expect(svg.length).toBeLessThan(40_000);
    expect(svg).not.toContain('\u202e');
  });
});
