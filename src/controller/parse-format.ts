const WIDTH = 100;

/** Formats JSON for people: a value that fits in a line is written in one. `value` contains only JSON values. */
export function formatJson(value: unknown, indent = '', used = 0): string {
  const flat = flatJson(value);
  if (indent.length + used + flat.length <= WIDTH || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((element) => inner + formatJson(element, inner))
    : Object.entries(value).map(([name, element]) => {
        const key = `${JSON.stringify(name)}: `;
        return inner + key + formatJson(element, inner, key.length);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return lines.length === 0 ? flat : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, element]) => `${JSON.stringify(name)}: ${flatJson(element)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
