/** A way to build a dataset, as the server describes it. */

export interface Field {
  name: string;
  type: 'text' | 'textarea' | 'number';
  label: string;
  hint?: string;
  required?: boolean;
  default?: string | number;
}

export interface Template {
  id: string;
  label: string;
  description: string;
  output_format: 'messages' | 'prompt_completion' | 'dpo' | 'text';
  needs_llm: boolean;
  fields: Field[];
}

export type Inputs = Record<string, string | number>;

export const defaultsOf = (template: Template): Inputs =>
  Object.fromEntries(template.fields.map((field) => [field.name, field.default ?? '']));

export const isComplete = (template: Template, inputs: Inputs): boolean =>
  template.fields.every((field) => !field.required || String(inputs[field.name] ?? '').trim());
