import { Stored } from './stored.svelte';

export type Theme = 'auto' | 'dark' | 'light';

export const theme = new Stored<Theme>('theme', 'auto');

/** Shows the pages beside Chat. */
export const developer = new Stored('developer', false);

/** Whether chats begin with the tools that read and change files. */
export const codingTools = new Stored('coding-tools', false);
