/** What the server's routes answer, by name. `schema.d.ts` is made of its OpenAPI document. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Assessment = Schemas['Assessment'];
export type Download = Schemas['Download'];
export type Fit = Schemas['Fit'];
export type Hit = Schemas['Hit'];
export type LibraryModel = Schemas['LibraryModel'];
export type LocalModel = Schemas['LocalModel'];
export type RepoPlan = Schemas['RepoPlan'];
export type ServedModel = Schemas['Model'];
export type Stats = Schemas['Stats'];

/** The served model comes first, and alone has capabilities. */
export interface ModelList {
  data: [ServedModel, ...Schemas['OtherModel'][]];
}

export interface Library {
  models: LibraryModel[];
}

export interface Downloads {
  downloads: Download[];
}

export interface LocalModels {
  models: LocalModel[];
}

export interface Search {
  offline: boolean;
  error?: string;
  results: Hit[];
}

export interface GcPlan {
  superseded: RepoPlan[];
  reclaim_bytes: number;
}
