import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { controllerSchemaText } from '../../tools/controller-schema.ts';

const file = path.resolve(import.meta.dirname, '../../schemas/controller.schema.json');

interface JsonSchema {
  readonly [field: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | false;
  readonly additionalProperties?: JsonSchema | false;
}

const schema = JSON.parse(readFileSync(file, 'utf8')) as JsonSchema;

/** Every schema inside one, itself included; references are not followed. */
function schemasIn(outer: JsonSchema): JsonSchema[] {
  const inner = [
    ...Object.values(outer.properties ?? {}),
    ...Object.values(outer.$defs ?? {}),
    ...(outer.anyOf ?? []),
    ...(outer.oneOf ?? []),
    ...[outer.items, outer.additionalProperties].filter((other) => typeof other === 'object'),
  ];
  return [outer, ...inner.flatMap(schemasIn)];
}

describe('schemas/controller.schema.json', () => {
  test('is what npm run controller-schema writes', async () => {
    expect(readFileSync(file, 'utf8')).toBe(await controllerSchemaText());
  });

  test('says what it is', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:maniple:controller:1',
      title: 'Maniple animator controller',
      required: ['format', 'version', 'name', 'parameters', 'layers'],
      additionalProperties: false,
    });
    expect(Object.keys(schema.$defs!).sort()).toEqual(
      ['clip', 'condition', 'entry', 'layer', 'machine', 'motion', 'parameter', 'state', 'transition', 'tree'].sort(),
    );
  });

  test('describes every field, and closes every form', () => {
    const forms = schemasIn(schema).filter(({ properties }) => properties);
    expect(forms).toHaveLength(20);
    expect(forms.filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
    const fields = forms.flatMap(({ properties }) => Object.entries(properties!));
    expect(fields.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([]);
  });

  test('has the types, defaults and limits of the model', () => {
    const { state, machine, layer, tree, transition, condition } = schema.$defs!;
    expect(state!.properties!.speed).toEqual({
      description: 'Cycles advance this many times as fast; negative plays backwards. Default 1.',
      type: 'number',
    });
    expect(machine!.properties!.machines!.additionalProperties).toEqual({ $ref: '#/$defs/machine' });
    expect(layer!.oneOf).toEqual([{ required: ['machine'] }, { required: ['sync'] }]);
    expect(layer!.properties!.weight).toMatchObject({ minimum: 0, maximum: 1 });
    expect(tree!.oneOf!.map(({ properties }) => properties!.blend!.const ?? properties!.blend!.enum)).toEqual([
      '1d',
      ['directional', 'freeformDirectional', 'freeformCartesian'],
      'direct',
    ]);
    expect(tree!.oneOf!.map(({ properties }) => properties!.children!.maxItems)).toEqual([16, 16, 16]);
    expect(transition!.oneOf).toEqual([{ required: ['to'] }, { required: ['toMachine'] }, { required: ['toExit'] }]);
    expect(condition).toMatchObject({ required: ['parameter'], maxProperties: 2 });
    expect(Object.keys(condition!.properties!)).toEqual([
      'parameter',
      'is',
      'greater',
      'less',
      'equals',
      'notEquals',
      'atLeast',
      'atMost',
    ]);
    expect(schema.properties!.layers).toMatchObject({ minItems: 1, maxItems: 32 });
    expect(schema.properties!.parameters).toMatchObject({ maxProperties: 1024 });
  });
});
