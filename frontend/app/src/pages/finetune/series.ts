/** Figures of a training as columns: steps, training loss, validation loss. */
import type { AlignedData } from 'uplot';

import type { Metric } from '../wizard/job.svelte';

export function seriesOf(metrics: readonly Metric[]): AlignedData {
  const steps = [...new Set(metrics.map((metric) => metric.step))].sort((a, b) => a - b);
  const column = (kind: Metric['kind']): (number | null)[] => {
    const known = new Map(
      metrics.filter((metric) => metric.kind === kind).map((metric) => [metric.step, metric.loss]),
    );
    return steps.map((step) => known.get(step) ?? null);
  };
  return [steps, column('train'), column('val')];
}
