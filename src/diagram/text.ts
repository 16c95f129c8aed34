/**
 * How wide text may become. The font is whatever the viewer has, so widths are those of a wide sans (in 1/1000 of the
 * size): what fits by this table fits in all common ones.
 */
const ASCII_WIDTHS: readonly number[] = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
  636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
  748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
  615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
  337, 636, 838,
];
const BOLD = 1.13;
/** Names are cut to this many characters before anything is measured. */
const NAME_LIMIT = 300;

/**
 * Characters that XML forbids, that would break a line, or that would turn the text around them. They are shown as a
 * replacement mark.
 */
const UNSHOWABLE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** An untrusted name as one line of plain text of bounded length, with … where it was cut. */
export function clean(text: string): string {
  const cut = text.length > NAME_LIMIT ? `${text.slice(0, NAME_LIMIT)}…` : text;
  return cut.replace(/[\t\n\r]+/g, ' ').replace(UNSHOWABLE, '\ufffd');
}

/** A clip's reference for people. For a Unity asset it is the part that differs from others, `1bbe…5372:7400010`. */
export function shortReference(reference: string): string {
  return reference.replace(/^([0-9a-f]{4})[0-9a-f]{24}([0-9a-f]{4}:-?\d+)$/, '$1…$2');
}

/** An upper estimate of the width of cleaned text, in pixels. */
export function textWidth(text: string, size: number, bold = false): number {
  let width = 0;
  for (const character of text) width += characterWidth(character.codePointAt(0)!);
  return (width * size * (bold ? BOLD : 1)) / 1000;
}

function characterWidth(code: number): number {
  if (code >= 32 && code < 127) return ASCII_WIDTHS[code - 32]!;
  if (code < 0x250) return 800;
  if (code >= 0x300 && code < 0x370) return 0;
  if (code < 0x1100) return 900;
  return code < 0x1_0000 ? 1050 : 1400;
}

/**
 * Cleaned text, with … in place of its middle so that it is at most `width` pixels wide: names differ most often at their
 * ends.
 */
export function fit(text: string, width: number, size: number, bold = false): string {
  const whole = clean(text);
  if (textWidth(whole, size, bold) <= width) return whole;
  const scale = (size * (bold ? BOLD : 1)) / 1000;
  const characters = Array.from(whole);
  let left = width / scale - 1000;
  let [begin, end] = [0, characters.length];
  // the begin gets as much as the end, or a character more
  for (let takesBegin = true; begin < end; takesBegin = !takesBegin) {
    const at = takesBegin ? begin : end - 1;
    left -= characterWidth(characters[at]!.codePointAt(0)!);
    if (left < 0) break;
    if (takesBegin) begin++;
    else end--;
  }
  return `${characters.slice(0, begin).join('').trimEnd()}…${characters.slice(end).join('').trimStart()}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number for people: at most four digits that count. */
export function short(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : String(value);
}

/** Words in lines of at most `width` pixels; each word is cut to a line of its own at most. */
export function wrap(words: readonly string[], width: number, size: number, separator = ' '): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const fitted = fit(word, width, size);
    const longer = lines.length > 0 ? `${lines.at(-1)}${separator}${fitted}` : undefined;
    if (longer !== undefined && textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitted);
  }
  return lines;
}
