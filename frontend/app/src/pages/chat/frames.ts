/** Frames of `/ws/chat`, as the server types them. */
import type { components } from '../../lib/api/schema';

type Schemas = components['schemas'];

export type ClientFrame = Schemas['ChatClientFrame'];
export type ServerFrame = Schemas['ChatServerFrame'];
export type HistoryItem = Schemas['ChatHistory']['items'][number];
export type Image = Schemas['ChatImage'];
export type SessionItem = Schemas['ChatSessionItem'];
export type Usage = Schemas['ChatUsage'];
export type Sampling = Omit<Schemas['ChatSetSampling'], 'type' | 'scope'>;
export type TokenScore = Schemas['ChatTokenScore'];
export type AppContext = Schemas['ChatAppContext'];
export type Spotlight = Schemas['ChatUiSpotlight'];
export type GenDefaults = Schemas['ChatGenDefaults'];
