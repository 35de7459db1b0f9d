/** The sampling controls: range, step, and what an untouched one means. */
import type { GenDefaults, Sampling } from '../frames';

export interface Control {
  field: Exclude<keyof Sampling, 'seed'>;
  label: string;
  min: number;
  max: number;
  step: number;
}

export const PRIMARY: readonly Control[] = [
  { field: 'temperature', label: 'Temperature', min: 0, max: 2, step: 0.05 },
  { field: 'top_p', label: 'Top p', min: 0, max: 1, step: 0.01 },
  { field: 'top_k', label: 'Top k', min: 0, max: 100, step: 1 },
];

export const ADVANCED: readonly Control[] = [
  { field: 'min_p', label: 'Min p', min: 0, max: 0.5, step: 0.01 },
  { field: 'xtc_probability', label: 'XTC probability', min: 0, max: 1, step: 0.01 },
  { field: 'xtc_threshold', label: 'XTC threshold', min: 0, max: 0.5, step: 0.01 },
  { field: 'repetition_penalty', label: 'Repetition penalty', min: 1, max: 2, step: 0.01 },
  { field: 'repetition_context_size', label: 'Repetition window', min: 0, max: 1024, step: 16 },
  { field: 'presence_penalty', label: 'Presence penalty', min: -2, max: 2, step: 0.05 },
  { field: 'frequency_penalty', label: 'Frequency penalty', min: -2, max: 2, step: 0.05 },
];

/** What the server would take where nothing is chosen; undefined where the field is off. */
export function recommended(
  field: Control['field'],
  defaults: GenDefaults | undefined,
  thinks: boolean,
): number | undefined {
  if (field === 'temperature') return defaults?.temperature ?? (thinks ? 0.9 : 0.7);
  if (field === 'top_p') return defaults?.top_p ?? undefined;
  if (field === 'top_k') return defaults?.top_k ?? undefined;
  return undefined;
}
