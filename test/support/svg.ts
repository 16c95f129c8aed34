/** An element of a parsed SVG; `x` and `y` are the sum of the translations around it. */
export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: SvgElement[];
  text: string;
  readonly x: number;
  readonly y: number;
}

export interface SvgBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const TOKEN = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>|([^<]+)/gy;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Reads the part of XML that the diagrams use, and throws at anything that is not well-formed. */
export function parseSvg(source: string): SvgElement {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/.test(source)) throw new Error('a character that XML forbids');
  if (/[\ud800-\udfff]/u.test(source)) throw new Error('half a surrogate pair');
  const root: SvgElement = { name: '', attributes: {}, children: [], text: '', x: 0, y: 0 };
  const open = [root];
  TOKEN.lastIndex = 0;
  for (let end = 0; end < source.length; end = TOKEN.lastIndex) {
    const match = TOKEN.exec(source);
    if (!match) throw new Error(`not well-formed at ${end}: ${source.slice(end, end + 80)}`);
    const [, closing, name, attributeText, selfClosing, characters] = match;
    const parent = open.at(-1)!;
    if (characters !== undefined) parent.text += decode(characters);
    else if (closing) {
      if (open.pop()!.name !== name) throw new Error(`</${name}> closes another element at ${end}`);
    } else {
      const made = makeElement(name!, attributeText!, parent);
      parent.children.push(made);
      if (!selfClosing) open.push(made);
    }
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error('not one closed root');
  return root.children[0]!;
}

function makeElement(name: string, attributeText: string, parent: SvgElement): SvgElement {
  const attributes: Record<string, string> = {};
  for (const [, key, value] of attributeText.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (Object.hasOwn(attributes, key!)) throw new Error(`${key} twice on ${name}`);
    attributes[key!] = decode(value!);
  }
  const moved = /^translate\((\S+) (\S+)\)$/.exec(attributes.transform ?? 'translate(0 0)');
  if (!moved) throw new Error(`unknown transform ${attributes.transform}`);
  return { name, attributes, children: [], text: '', x: parent.x + Number(moved[1]), y: parent.y + Number(moved[2]) };
}

function decode(text: string): string {
  return text.replace(/&(\w*);?/g, (whole, name: string) => {
    if (!(name in ENTITIES) || !whole.endsWith(';')) throw new Error(`unknown entity ${whole}`);
    return ENTITIES[name]!;
  });
}

/** An element and all inside it, in document order. */
export function all(element: SvgElement): SvgElement[] {
  return [element, ...element.children.flatMap(all)];
}

export function byClass(element: SvgElement, name: string): SvgElement[] {
  return all(element).filter(({ attributes }) => attributes.class?.split(' ').includes(name));
}

/** All text inside an element, tooltips aside. */
export function textOf(element: SvgElement): string {
  const parts = all(element).filter(({ name }) => name === 'text' || name === 'tspan');
  return parts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' ');
}

export function titleOf(element: SvgElement): string {
  return element.children.find(({ name }) => name === 'title')?.text ?? '';
}

/** The first rectangle of a group, in the picture's coordinates. */
export function rectOf(element: SvgElement): SvgBox {
  const rect = all(element).find(({ name }) => name === 'rect');
  if (!rect) throw new Error('no rect');
  return boxOfRect(rect);
}

export function boxOfRect({ attributes, x, y }: SvgElement): SvgBox {
  const [left, top] = [x + Number(attributes.x), y + Number(attributes.y)];
  return { left, top, right: left + Number(attributes.width), bottom: top + Number(attributes.height) };
}

/** Points that a path of absolute M, L, H, V and C commands names, control points included. */
export function pathPoints({ attributes, x, y }: SvgElement): [number, number][] {
  const points: [number, number][] = [];
  let [u, v] = [0, 0];
  for (const [, command, list] of (attributes.d ?? '').matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const numbers = Array.from(list!.matchAll(/-?[\d.]+(?:e-?\d+)?/g), ([number]) => Number(number));
    if (command === 'H' || command === 'V') {
      for (const number of numbers) {
        if (command === 'H') u = number;
        else v = number;
        points.push([x + u, y + v]);
      }
    } else if ('MLC'.includes(command!)) {
      for (let i = 0; i < numbers.length; i += 2) {
        [u, v] = [numbers[i]!, numbers[i + 1]!];
        points.push([x + u, y + v]);
      }
    }
  }
  return points;
}

export function overlap(a: SvgBox, b: SvgBox, slack = 0.2): boolean {
  return a.left < b.right - slack && b.left < a.right - slack && a.top < b.bottom - slack && b.top < a.bottom - slack;
}

/** What of a picture lies outside its frame, or is no number; text is measured by the function that is given. */
export function outside(svg: SvgElement, widthOfText: (text: string, size: number, bold: boolean) => number): string[] {
  const [, , width, height] = svg.attributes.viewBox!.split(' ').map(Number);
  const isIn = (x: number, y: number) => x >= 0 && y >= 0 && x <= width! && y <= height!;
  return all(svg).flatMap((element) => {
    const { name, attributes, x, y } = element;
    const points: [number, number][] = [];
    if (name === 'rect') {
      const box = boxOfRect(element);
      points.push([box.left, box.top], [box.right, box.bottom]);
    } else if (name === 'path') points.push(...pathPoints(element));
    else if (name === 'circle') points.push([x + Number(attributes.cx), y + Number(attributes.cy)]);
    else if (name === 'line') {
      points.push([x + Number(attributes.x1), y + Number(attributes.y1)]);
      points.push([x + Number(attributes.x2), y + Number(attributes.y2)]);
    } else if (name === 'text') {
      const bold = attributes['font-weight'] !== undefined;
      const length = widthOfText(textOf(element), Number(attributes['font-size']), bold);
      const share = { middle: 0.5, end: 1 }[attributes['text-anchor'] ?? ''] ?? 0;
      const left = x + Number(attributes.x) - share * length;
      points.push([left, y + Number(attributes.y)], [left + length, y + Number(attributes.y)]);
    }
    return points.every(([u, v]) => isIn(u, v)) ? [] : [`${name} ${JSON.stringify(attributes)} ${element.text}`];
  });
}
