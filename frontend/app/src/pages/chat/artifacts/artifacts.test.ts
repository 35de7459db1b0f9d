import { describe, expect, it } from 'vitest';

import { AssistantMessage, ToolPart, UserMessage } from '../messages.svelte';
import { artifactsOf } from './artifacts';
import { fileNameOf } from './fileName';
import { titleOf } from './title';

function answer(text: string): AssistantMessage {
  const message = new AssistantMessage();
  message.write('text', text);
  return message;
}

function changed(tool: string, args: Record<string, unknown>, ok = true): AssistantMessage {
  const message = new AssistantMessage();
  const call = new ToolPart('c', tool, args);
  call.end(ok, '');
  message.parts.push(call);
  return message;
}

const page = (body: string): string =>
  `Here:\n\n\`\`\`html\n<title>Clock</title>\n${body}\n\`\`\`\n`;

describe('artifacts', () => {
  it('are pages, drawings, diagrams and documents of any length, and code that is long', () => {
    const short = '```python\nprint(1)\n```\n';
    const long = `- in a list\n\n  ~~~~python\n${'  x = 1\n'.repeat(15)}  ~~~~\n`;
    const found = artifactsOf([
      new UserMessage('```svg\n<svg/>\n```'),
      answer(`${short}\n\`\`\`mermaid\nflowchart LR\n\`\`\`\n\n${long}`),
    ]);

    expect(found.map(({ title, language }) => [title, language])).toEqual([
      ['Diagram', 'mermaid'],
      ['python code', 'python'],
    ]);
    expect(found[1]?.versions[0]?.code).toBe('x = 1\n'.repeat(15));
  });

  it('come again under their title as versions, and else as others', () => {
    const messages = [
      answer(page('one')),
      answer('```svg\n<svg>a</svg>\n```'),
      answer(page('two')),
      answer('```svg\n<svg>b</svg>\n```'),
    ];
    const found = artifactsOf(messages);

    expect(found.map(({ title, versions }) => [title, versions.length])).toEqual([
      ['Clock', 2],
      ['Drawing', 1],
      ['Drawing 2', 1],
    ]);
    expect(found[0]?.versions.map(({ message }) => message)).toEqual([messages[0], messages[2]]);
    expect(found[0]?.versions[1]?.code).toContain('two');
  });

  it('are none while they are being written', () => {
    const message = answer(page('half'));
    message.streaming = true;
    expect(artifactsOf([message])).toEqual([]);
    message.streaming = false;
    expect(artifactsOf([message])).toHaveLength(1);
  });

  it('are files that the agent wrote, as each of its changes left them', () => {
    const found = artifactsOf([
      changed('write', { path: 'src/app.py', content: 'a = 1\nb = $&\n' }),
      changed('edit', { path: 'src/app.py', old_text: 'a = 1', new_text: 'a = $&2' }),
      changed('edit', { path: 'src/app.py', old_text: 'nowhere', new_text: '' }),
      changed('edit', { path: 'other.py', old_text: 'x', new_text: 'y' }),
      changed('write', { path: 'failed.py', content: 'x' }, false),
    ]);

    expect(found.map(({ id }) => id)).toEqual(['python:src/app.py']);
    expect(found[0]?.versions.map(({ code }) => code)).toEqual([
      'a = 1\nb = $&\n',
      'a = $&2\nb = $&\n',
    ]);
  });
});

describe('titles', () => {
  it.each([
    ['python', 'title="my app.py"', '', 'my app.py'],
    ['python', 'src/app.py', '', 'src/app.py'],
    ['js', '', '// lib/a.js\nx', 'lib/a.js'],
    ['css', '', '/* site.css */\n', 'site.css'],
    ['html', '', '<html><title lang=en> My\npage </title>', 'My\npage'],
    ['svg', '', '<svg><title>Sun</title></svg>', 'Sun'],
    ['markdown', '', 'text\n## Plan ##\n# Later', 'Plan'],
    ['mermaid', '', '---\ntitle: Flow of tea\n---\nflowchart', 'Flow of tea'],
  ])('of %s %s are its own', (language, info, code, expected) => {
    expect(titleOf(language, info, code)).toEqual({ text: expected, own: true });
  });

  it.each([
    ['python', '# a comment on what follows', 'python code'],
    ['', 'text', 'Text code'],
    ['html', '<b>x</b>', 'Page'],
  ])('of %s without one are those of their kind', (language, code, expected) => {
    expect(titleOf(language, '', code)).toEqual({ text: expected, own: false });
  });
});

it.each([
  ['src/app.py', 'python', 'app.py'],
  ['Mein Größter Plan!', 'markdown', 'Mein-Größter-Plan.md'],
  ['../../etc/passwd', '', 'passwd.txt'],
  ['***', 'c++', 'artifact.c'],
])('%s in %s is saved as a file of a fitting name', (title, language, expected) => {
  expect(fileNameOf({ title, language })).toBe(expected);
});
