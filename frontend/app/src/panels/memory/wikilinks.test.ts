import { expect, it } from 'vitest';

import { linked } from './wikilinks';

it.each([
  ['[[Ada_Lovelace]]', '[Ada Lovelace](#article/Ada_Lovelace)'],
  ['[[Ada Lovelace|her]]', '[her](#article/Ada_Lovelace)'],
  ['[[Ada#Life]]', '[Ada](#article/Ada)'],
  ['[[Größe]]', '[Größe](#article/Gr%C3%B6%C3%9Fe)'],
  ['no [link] here', 'no [link] here'],
])('makes links of %j', (source, expected) => {
  expect(linked(source)).toBe(expected);
});

it.each(['`[[x]]`', '```\n[[x]]\n```', '~~~\n[[x]]\n~~~', '```\n[[x]]'])(
  'leaves code as it is: %j',
  (source) => {
    expect(linked(source)).toBe(source);
  },
);

it('goes on after code', () => {
  expect(linked('```\n[[x]]\n```\n[[y]]')).toBe('```\n[[x]]\n```\n[y](#article/y)');
});
