// Prose that people read: comments, messages, labels and Markdown, split into sentences and checked against rules of plain English.

/** A sentence, with the line where its paragraph begins. */
export interface Sentence {
  readonly line: number;
  readonly text: string;
  /** Whether a docstring, or a message of an error, begins with it. */
  readonly opens: 'docstring' | 'message' | undefined;
}

/** The longest sentence; 20 words is the aim. */
const WORD_LIMIT = 30;

const PATTERNS: Readonly<Record<string, RegExp>> = {
  'who, nobody …': /\b(who|whom|whose|whoever|somebody|nobody|everyone|everybody)\b/gi,
  'What … (subject)': /^What\b.*[.:]$/g,
  'Of a …:': /^Of (a|an|the|those|each)\b[^:]*:/g,
  'is none': /\b(is|are) none\b/gi,
  'is no …': /(?<!\bthere )\b(is|are) no\b(?! (longer|more than|less than))/gi,
  stands: /\b(stands?|standing)\b(?![- ](alone|in front))/gi,
  'behind, beside, ahead': /\b(behind|beside|ahead)\b/gi,
  'goes on with …': /\b(goes|go|going|went) (on with|over to|by|without|round)\b/gi,
  'so many': /\b(so many|as many as live)\b/gi,
  'told, tells': /\b(told|tells?|telling|says of|knows of)\b/gi,
  alone: /\balone\b/gi,
  'of then': /\b(as|of|the state) (of )?(then|before|now)\b/gi,
  'comes, brings': /\b(comes|has come|have come|brings?)\b/gi,
  'no room': /\bno room\b/gi,
  'takes the place of': /\b(takes?|taking) (the|its) place\b/gi,
  'for want of': /\bfor want of\b/gi,
  'by itself': /\b(by itself|by themselves|on its own|on their own)\b/gi,
  'anew, for good': /\b(anew|for good|in vain)\b/gi,
  'of Unity, of glTF': /\bof (Unity|glTF|a game)\b(?!')/gi,
  'but for; "; and"': /(\bbut for\b|; and\b)/gi,
};

const OPENINGS: Readonly<Record<string, { readonly at: 'docstring' | 'message'; readonly pattern: RegExp }>> = {
  'docstring begins with What …': { at: 'docstring', pattern: /^(What|Who|Whom|Whose|Whether|Of)\b/ },
  'message begins with a small letter': { at: 'message', pattern: /^[a-z]/ },
};

const LITERAL = /(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
const JSX_TEXT = />([^<>{}=;()]*[a-z][^<>{}=;()]*)</g;
/** The call of an error up to its message. An `IssueList` makes sentences of clauses. */
const MESSAGE = /(?<!\bissues\.)\b(?:fail|error|warning)\(\s*'[A-Z_]+',\s*[^,\n]+,\s*(?=['"`])/g;
const IS_CODE = /[{}]|\w\[\w+\]|;($|\s*\\n)|\w;\w|=>|::|\bfn\b|@\w+\(/;

/** How often each rule is broken; rules that are kept are left out. */
export function countBreaches(sentences: readonly Sentence[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (rule: string, count: number) => {
    if (count > 0) counts[rule] = (counts[rule] ?? 0) + count;
  };
  for (const { text, opens } of sentences) {
    for (const [rule, pattern] of Object.entries(PATTERNS)) add(rule, text.match(pattern)?.length ?? 0);
    for (const [rule, { at, pattern }] of Object.entries(OPENINGS))
      add(rule, Number(opens === at && pattern.test(text)));
    add(`over ${WORD_LIMIT} words`, Number(text.split(/\s+/).length > WORD_LIMIT));
  }
  return counts;
}

/** Sentences of a file, by the kind of its name. */
export function sentencesOf(file: string, text: string): Sentence[] {
  const paragraphs = file.endsWith('.md') ? markdown(text) : [...comments(text), ...literals(file, text)];
  return paragraphs.flatMap(({ line, text: paragraph, opens }) =>
    paragraph
      .replace(/`[^`]*`/g, 'X')
      .replace(/\{@\w+ [^}]*\}/g, 'X')
      .split(/(?<=[.!?:])\s+(?=[A-Z@]|[*_[("])/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => /[a-z]{2}/.test(sentence))
      .map((sentence, i) => ({ line, text: sentence, opens: i === 0 ? opens : undefined })),
  );
}

/** Paragraphs, list items and cells of tables; code is left out. */
function markdown(text: string): Sentence[] {
  const paragraphs: Sentence[] = [];
  let current: { line: number; words: string[] } | undefined;
  let isCode = false;
  const end = () => {
    if (current) paragraphs.push({ line: current.line, text: current.words.join(' '), opens: undefined });
    current = undefined;
  };
  text.split('\n').forEach((raw, i) => {
    const line = raw.trim();
    if (line.startsWith('```')) isCode = !isCode;
    if (isCode || line === '' || raw.startsWith('    ') || /^(```|<|---|:::)/.test(line)) return end();
    if (line.startsWith('|')) {
      end();
      for (const cell of line.split('|'))
        if (cell.trim()) paragraphs.push({ line: i + 1, text: cell.trim(), opens: undefined });
      return;
    }
    if (/^([-*>#]|\d+\.)/.test(line)) end();
    current ??= { line: i + 1, words: [] };
    current.words.push(line.replace(/^([-*>]|#+|\d+\.)\s+/, ''));
  });
  end();
  return paragraphs;
}

/**
 * Blocks of comments: neighbouring lines of `//`, or one `/* … *\/`. A tag such as `@param` and an item of a list begin
 * another paragraph. Examples, fences and lines that are indented by four spaces are left out.
 */
function comments(text: string): Sentence[] {
  const paragraphs: Sentence[] = [];
  let current: { line: number; words: string[]; isDoc: boolean } | undefined;
  const end = () => {
    if (current && current.words.length > 0) {
      const opens = current.isDoc ? ('docstring' as const) : undefined;
      paragraphs.push({ line: current.line, text: current.words.join(' '), opens });
    }
    current = undefined;
  };
  let isBlock = false;
  let isCode = false;
  text.split('\n').forEach((raw, i) => {
    const line = raw.trim();
    const trailing = /[;{},)\]]\s+\/\/\s+(.*)$/.exec(line)?.[1];
    if (!isBlock && !line.startsWith('//') && !line.startsWith('/*')) {
      end();
      if (trailing && !/^(oxlint|@ts|eslint)/.test(trailing))
        paragraphs.push({ line: i + 1, text: trailing, opens: undefined });
      return;
    }
    const isStart = !isBlock && line.startsWith('/*');
    if (isStart) end();
    if (isStart || line.startsWith('//')) isBlock = isStart;
    const content = line
      .replace(/^(\/\*\*?|\*(?!\/)|\/\/\/?)\s?/, '')
      .replace(/\*\/$/, '')
      .trim();
    if (content.startsWith('```')) isCode = !isCode;
    else if (content.startsWith('@')) isCode = content.startsWith('@example');
    if (content === '' || /^(@|- |```)/.test(content)) end();
    const isDoc = isStart && line.startsWith('/**');
    current ??= { line: i + 1, words: [], isDoc };
    const isLeftOut = isCode || /^```|^oxlint-/.test(content) || /^(\*|\/\/) {5}/.test(line);
    const words = isLeftOut
      ? ''
      : content
          .replace(/^- /, '')
          .replace(/^@(param|throws|returns|example|internal|see)\b( ManipleError [A-Z_, ]+)?/, '')
          .trim();
    if (words) current.words.push(words);
    if (isBlock && line.endsWith('*/')) {
      isBlock = isCode = false;
      end();
    }
  });
  end();
  return paragraphs;
}

/** Messages, labels and help: literals of three words or more, and text of JSX. Literals that are code are left out. */
function literals(file: string, text: string): Sentence[] {
  const code = text.replace(/^[ \t]*(\/\/|\/?\*).*$/gm, '');
  const lineAt = lineCounter(code);
  const messages = new Set(Array.from(code.matchAll(MESSAGE), ({ 0: call, index }) => index + call.length));
  const strings = Array.from(code.matchAll(LITERAL), ({ 2: literal, index }): Sentence => {
    const words = literal!.replace(/\$\{[^}]*\}/g, 'X').replace(/\\n/g, ' ');
    return { line: lineAt(index), text: words, opens: messages.has(index) ? 'message' : undefined };
  });
  const labelLineAt = lineCounter(code);
  const labels = file.endsWith('.tsx') ? Array.from(code.matchAll(JSX_TEXT)) : [];
  return [
    ...strings.filter(({ text: words }) => words.split(/\s+/).length >= 3 && !IS_CODE.test(words)),
    ...labels.map(({ 1: label, index }) => ({
      line: labelLineAt(index),
      text: label!.replace(/\s+/g, ' ').trim(),
      opens: undefined,
    })),
  ];
}

/** Lines of ascending places in a text, counted from 1. */
function lineCounter(text: string): (index: number) => number {
  let [line, at] = [1, 0];
  return (index) => {
    for (; at < index; at++) if (text[at] === '\n') line++;
    return line;
  };
}
