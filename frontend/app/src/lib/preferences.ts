import { isKept, knowsThisApp, Stored } from './stored.svelte';

export type Theme = 'auto' | 'dark' | 'light';

export const theme = new Stored<Theme>('theme', 'auto');

/** Shows the pages beside Chat: off at first, and on for a browser that knew the app without it. */
const wasHere = !isKept('developer') && knowsThisApp();
export const developer = new Stored('developer', wasHere);
// Kept at once: what is chosen from now on makes no older browser of this one.
if (!isKept('developer')) developer.value = wasHere;

/** Whether chats begin with the tools that read and change files. */
export const codingTools = new Stored('coding-tools', false);
