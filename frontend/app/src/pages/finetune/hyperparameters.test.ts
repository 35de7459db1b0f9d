import { expect, it } from 'vitest';

import { INITIAL, submission, withMethod } from './hyperparameters';

const none = new Set<string>();

it.each([
  ['sft', 8, 2e-4],
  ['dpo', 8, 5e-5],
  ['orpo', 16, 1e-5],
] as const)('begins %s with the rank and rate that suit it', (method, rank, rate) => {
  expect(withMethod(INITIAL, method, none)).toMatchObject({ method, rank, learning_rate: rate });
});

it('keeps what was edited when the method changes', () => {
  const edited = { ...INITIAL, rank: 4, learning_rate: 1e-3 };

  expect(withMethod(edited, 'orpo', new Set(['rank', 'learning_rate']))).toMatchObject({
    rank: 4,
    learning_rate: 1e-3,
  });
});

it('learns the answers alone with ORPO, until something else is chosen', () => {
  const orpo = withMethod(INITIAL, 'orpo', new Set());
  expect(submission(orpo)).toHaveProperty('sft_scope', 'response');
  expect(submission(withMethod(orpo, 'sft', new Set()))).toHaveProperty('sft_scope', 'full');

  const chosen = withMethod(INITIAL, 'orpo', new Set(['sft_scope']));
  expect(submission(chosen)).toHaveProperty('sft_scope', 'full');
});

it('sends what the method uses, and nothing else', () => {
  const sft = submission({ ...INITIAL, target_modules: ' q_proj, v_proj ,' });
  expect(sft).toMatchObject({ target_modules: ['q_proj', 'v_proj'], sft_scope: 'full' });
  expect(sft).not.toHaveProperty('dpo_beta');

  expect(submission({ ...INITIAL, num_layers: null })).not.toHaveProperty('num_layers');
  expect(submission({ ...INITIAL, method: 'dpo' })).toHaveProperty('dpo_beta', 0.1);
  expect(submission({ ...INITIAL, method: 'dpo' })).not.toHaveProperty('sft_scope');
  expect(submission({ ...INITIAL, method: 'orpo' })).toHaveProperty('orpo_lambda', 0.1);
});
