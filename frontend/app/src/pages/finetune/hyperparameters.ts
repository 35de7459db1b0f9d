/** What a training can be told, and what the form begins with for each method. */

export type Method = 'sft' | 'dpo' | 'orpo';

export const METHODS: Record<Method, { label: string; about: string; rate: number }> = {
  sft: {
    label: 'SFT',
    about: 'Learns to answer as the examples do. Begin here.',
    rate: 2e-4,
  },
  dpo: {
    label: 'DPO',
    about: 'Learns to prefer one answer to another. Needs pairs, and works best after SFT.',
    rate: 5e-5,
  },
  orpo: {
    label: 'ORPO',
    about: 'Learns answers and preferences at once, from pairs.',
    rate: 1e-5,
  },
};

export interface Hyperparameters {
  method: Method;
  rank: number;
  scale: number;
  lora_dropout: number;
  target_modules: string;
  /** From the last; null for all. */
  num_layers: number | null;
  iters: number;
  batch_size: number;
  learning_rate: number;
  max_seq_length: number;
  sft_scope: 'full' | 'response';
  dpo_beta: number;
  dpo_lr_schedule: 'constant' | 'cosine';
  orpo_lambda: number;
  orpo_lr_schedule: 'constant' | 'cosine';
}

export const INITIAL: Hyperparameters = {
  method: 'sft',
  rank: 8,
  scale: 20,
  lora_dropout: 0,
  target_modules: 'q_proj,v_proj',
  num_layers: 16,
  iters: 500,
  batch_size: 1,
  learning_rate: METHODS.sft.rate,
  max_seq_length: 1024,
  sft_scope: 'full',
  dpo_beta: 0.1,
  dpo_lr_schedule: 'cosine',
  orpo_lambda: 0.1,
  orpo_lr_schedule: 'cosine',
};

/** The same with another method, and what suits it where nothing was edited. */
export function withMethod(
  now: Hyperparameters,
  method: Method,
  edited: ReadonlySet<string>,
): Hyperparameters {
  const rank = method === 'orpo' ? 16 : 8;
  // ORPO is defined over the answers; a prompt is learned only if that is chosen.
  const scope = method === 'orpo' ? 'response' : 'full';
  return {
    ...now,
    method,
    sft_scope: edited.has('sft_scope') ? now.sft_scope : scope,
    rank: edited.has('rank') ? now.rank : rank,
    learning_rate: edited.has('learning_rate') ? now.learning_rate : METHODS[method].rate,
  };
}

/** As the server takes it: only what the method uses. */
export function submission(now: Hyperparameters): Record<string, unknown> {
  const {
    dpo_beta,
    dpo_lr_schedule,
    orpo_lambda,
    orpo_lr_schedule,
    sft_scope,
    num_layers,
    ...common
  } = now;
  const modules = now.target_modules.split(',').map((name) => name.trim());
  const own = {
    sft: { sft_scope },
    dpo: { dpo_beta, dpo_lr_schedule },
    orpo: { orpo_lambda, orpo_lr_schedule, sft_scope },
  }[now.method];
  const layers = num_layers === null ? {} : { num_layers };
  return { ...common, ...layers, target_modules: modules.filter(Boolean), ...own };
}
