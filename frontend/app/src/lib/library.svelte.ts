/** The models of this machine, and what is to be expected of each. */
import type { Assessment, Library, LibraryModel } from './api/types';
import { get } from './http';

export type Verdict = 'good' | 'slow' | 'no' | 'unknown';

const FAST = 10; // tokens a second that are pleasant to read along

export function verdictOf(assessment: Assessment | null): Verdict {
  if (!assessment) return 'unknown';
  if (!assessment.fits) return 'no';
  return assessment.predicted_decode_tps >= FAST ? 'good' : 'slow';
}

export const VERDICTS: Record<Verdict, string> = {
  good: 'Fits, and runs well',
  slow: 'Fits, and runs slowly',
  no: 'Does not fit in memory',
  unknown: 'Not known',
};

/** Serving first, then what can be served, then by name. */
export function byUse(one: LibraryModel, other: LibraryModel): number {
  return (
    Number(other.serving) - Number(one.serving) ||
    Number(other.supported) - Number(one.supported) ||
    one.repo_id.localeCompare(other.repo_id)
  );
}

class ModelLibrary {
  models = $state.raw<LibraryModel[] | undefined>();
  error = $state<string | undefined>();

  async load(refresh = false): Promise<void> {
    try {
      const answer = await get<Library>(refresh ? '/library?refresh=1' : '/library');
      this.models = [...answer.models].sort(byUse);
      this.error = undefined;
    } catch (error) {
      this.error = (error as Error).message;
    }
  }
}

export const library = new ModelLibrary();
